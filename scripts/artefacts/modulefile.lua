-- A module of Lmod: it stands in the version whose programs it brings, at share/modulefiles/torc/VERSION.lua. A link to it from a folder of
-- the site works as well.
help([[
Torc @VERSION@ runs workflows of jobs on laptops, ssh hosts and clusters.
First steps: torc --help, man torc
]])
whatis("Name: torc")
whatis("Version: @VERSION@")
whatis("Description: workflow orchestrator")

conflict("torc")

local file = capture("readlink -f '" .. myFileName() .. "'"):gsub("%s+$", "")
local root = file:match("^(.*)/share/modulefiles/torc/[^/]*$")
if root == nil then
  LmodError("This module file is no longer in its version of torc: link to it, do not copy it.")
end
prepend_path("PATH", pathJoin(root, "bin"))
-- `man` and bash find pages and completions beside the folders of PATH. Where these are unset, one entry would hide those of the system.
for variable, folder in pairs({ MANPATH = "share/man", XDG_DATA_DIRS = "share" }) do
  if (os.getenv(variable) or "") ~= "" then
    prepend_path(variable, pathJoin(root, folder))
  end
end
