"""The commands, loaded one at a time: `main.COMMANDS` says which is where."""
