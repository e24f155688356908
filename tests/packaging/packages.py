"""The Debian package and the archive that cpack makes: what is in them, and that they install, work and go."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

CPACK, BUILD = sys.argv[1:3]
del sys.argv[1:3]

from program import FILES, ROOT, ProgramTest  # noqa: E402  (it reads no arguments of its own)

for tool in ("dpkg", "dpkg-deb", "dpkg-shlibdeps", "file"):
    if not shutil.which(tool):
        print(f"skipped: there is no command {tool}")
        sys.exit(77)


DEBIAN_12 = 'PRETTY_NAME="Debian GNU/Linux 12'


class Packages(ProgramTest):
    def pack(self, generator):
        subprocess.run([CPACK, "--config", f"{BUILD}/CPackConfig.cmake", "-G", generator, "-B", self.folder / "packed"],
                       check=True, capture_output=True, cwd=self.folder)

    def test_the_archive_runs_from_a_home_folder(self):
        self.pack("TGZ")
        home = self.folder / "home"
        home.mkdir()
        [archive] = (self.folder / "packed").glob("ddlbench-*.tar.gz")
        subprocess.run(["tar", "-xf", archive], cwd=home, check=True)
        [prefix] = home.iterdir()
        self.assertEqual(archive.name, prefix.name + ".tar.gz")
        self.assert_is_whole(prefix)

    def test_the_package_installs_works_and_goes_without_a_trace(self):
        self.pack("DEB")
        [package] = (self.folder / "packed").glob("ddlbench_*.deb")
        fields = dict(line.split(": ", 1) for line in subprocess.run(
            ["dpkg-deb", "--field", package], check=True, capture_output=True, text=True).stdout.splitlines() if ": " in line)
        self.assertEqual(fields["Package"], "ddlbench")
        for library in ("libc6", "libdnnl2", "libisal2", "zlib1g"):
            self.assertIn(library, fields["Depends"])
        if DEBIAN_12 in pathlib.Path("/etc/os-release").read_text(encoding="utf-8"):
            self.assert_page_lists(fields["Depends"])
        for package_name in ("mpich", "python3-matplotlib", "dataset-fashion-mnist"):
            self.assertIn(package_name, fields["Recommends"])
        contents = subprocess.run(["dpkg-deb", "--contents", package], check=True, capture_output=True, text=True).stdout
        for name in [*FILES, "share/man/man1/ddlbench.1.gz", "share/doc/ddlbench/copyright",
                     "share/doc/ddlbench/changelog.gz"]:
            self.assertRegex(contents, rf"\./usr/{name}( -> .*)?\n")
        for line in contents.splitlines():
            self.assertRegex(line, r"^\S+ root/root ")
        self.install_and_remove(package)

    def assert_page_lists(self, depends):
        """docs/installation.md lists the libraries for the archive, except those of every machine and CUDA's."""
        command = re.search(r"^apt-get install (lib.+)$", (ROOT / "docs" / "installation.md").read_text(encoding="utf-8"), re.MULTILINE)
        named = {dependency.split()[0] for dependency in depends.split(",")}
        needed = {name for name in named if not re.match(r"libc6$|libgcc-s1$|libcu|libnv|libnccl|cuda", name)}
        self.assertLessEqual(needed, set(command.group(1).split()))

    def install_and_remove(self, package):
        root = self.folder / "root"
        database = root / "var" / "lib" / "dpkg"
        for folder in ("info", "updates", "triggers"):
            (database / folder).mkdir(parents=True)
        (database / "status").touch()
        # What it depends on is the machine's: the program runs with that.
        dpkg = ["dpkg", f"--root={root}", "--force-depends", "--log=/dev/null"]
        if os.geteuid() != 0:
            dpkg = ["unshare", "--map-root-user", *dpkg]
            if subprocess.run([*dpkg[:2], "true"], capture_output=True, check=False).returncode != 0:
                self.skipTest("neither root nor allowed to be root in a user namespace")
        self.run_in(self.folder, *dpkg, "--install", package)
        self.assert_is_whole(root / "usr", "share/zsh/vendor-completions")
        self.run_in(self.folder, *dpkg, "--purge", "ddlbench")
        shutil.rmtree(database)
        left = [str(path.relative_to(root)) for path in root.rglob("*")]
        self.assertEqual(sorted(left), ["var", "var/lib"])


if __name__ == "__main__":
    unittest.main()
