-- Types a query into the picker, takes the first row, and prints where that leads.
require("telescope").setup({ extensions = { octavo = { program = vim.env.OCTAVO } } })
require("telescope").load_extension("octavo")
local state = require("telescope.actions.state")

local shown, failure = pcall(require("telescope").extensions.octavo.octavo)
if not shown then
  io.stdout:write(tostring(failure))
  vim.cmd("qall!")
end
local prompt = vim.api.nvim_get_current_buf()
vim.api.nvim_buf_set_lines(prompt, 0, -1, false, { require("telescope.config").values.prompt_prefix .. "prune in winter" })
vim.wait(60000, function() return state.get_selected_entry() ~= nil end, 50)
local entry = state.get_selected_entry()
require("telescope.actions").select_default(prompt)
io.stdout:write(entry.display, "\n", vim.api.nvim_buf_get_name(0), ":", vim.api.nvim_win_get_cursor(0)[1])
vim.cmd("qall!")
