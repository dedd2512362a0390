-- Telescope picker: passages of the Octavo library by word and by meaning, as one types. `:Telescope octavo`
local telescope = require("telescope")
local conf = require("telescope.config").values
local finders = require("telescope.finders")
local pickers = require("telescope.pickers")
local sorters = require("telescope.sorters")

local settings = { program = "octavo", limit = 30 }

-- The folder of each collection: hits name their documents from there.
local function roots()
  local answer = vim.fn.system({ settings.program, "status", "--json" })
  if vim.v.shell_error ~= 0 then error(answer, 0) end
  local folders = {}
  for _, collection in ipairs(vim.fn.json_decode(answer).collections) do folders[collection.name] = collection.root end
  return folders
end

-- The file at a path, or the mailbox, export or archive that it is a part of.
local function file_of(path)
  local file, stat = path, vim.loop.fs_stat(path)
  while not stat and #file > 1 do
    file = vim.fn.fnamemodify(file, ":h")
    stat = vim.loop.fs_stat(file)
  end
  return stat and stat.type == "file" and file or path
end

local function pick(opts)
  opts = opts or {}
  local folders = roots()
  local function command(prompt)
    if not prompt or vim.trim(prompt) == "" then return nil end
    return { settings.program, "search", "--jsonl", "--limit", tostring(settings.limit), "--", prompt }
  end
  local function entry(line)
    local read, hit = pcall(vim.json.decode, line)
    if not read or not hit.uri then return nil end
    local heading = hit.symbol or table.concat(hit.heading_path, " › ")
    local text = ("%s:%d  %s"):format(hit.uri, hit.start_line, heading)
    local written = (folders[hit.collection] or "") .. "/" .. hit.uri
    local path = file_of(written)
    return { value = hit, ordinal = text, display = text, filename = path, path = path, lnum = path == written and hit.start_line or 1 }
  end
  pickers.new(opts, {
    prompt_title = "Octavo",
    finder = finders.new_job(command, entry, settings.limit, opts.cwd),
    previewer = conf.grep_previewer(opts),
    sorter = sorters.empty(), -- the library has ordered them
  }):find()
end

return telescope.register_extension({
  setup = function(given) settings = vim.tbl_extend("force", settings, given or {}) end,
  exports = { octavo = pick },
})
