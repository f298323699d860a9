# A package of torc @VERSION@ for Spack: put it as packages/torc-flow/package.py into a repository of packages.
import os
import platform

from spack.package import *

_SUMS = {
    "linux-x64": "@SUM_LINUX_X64@",
    "linux-arm64": "@SUM_LINUX_ARM64@",
    "darwin-arm64": "@SUM_DARWIN_ARM64@",
}
_MACHINES = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}
_PLATFORM = "{0}-{1}".format(platform.system().lower(), _MACHINES.get(platform.machine(), ""))


class TorcFlow(Package):
    """Workflow orchestrator for laptops, ssh hosts and Slurm. The archive has its own Node."""

    homepage = "@ADDRESS@"
    url = "@ADDRESS@/torc-@VERSION@-{0}.tar.gz".format(_PLATFORM)
    license("BSD-3-Clause")

    if _SUMS.get(_PLATFORM):
        version("@VERSION@", sha256=_SUMS[_PLATFORM])

    def install(self, spec, prefix):
        install_tree(".", prefix.lib.torc)
        mkdirp(prefix.bin)
        for name in os.listdir(prefix.lib.torc.bin):
            if name.startswith("torc") and not name.endswith(".mjs"):
                symlink(os.path.join("..", "lib", "torc", "bin", name), os.path.join(prefix.bin, name))
