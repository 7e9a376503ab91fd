"""Runs the program kith, which this package puts beside the Python interpreter: python -m kith_server."""

import os
import subprocess
import sys
import sysconfig


def main():
    program = os.path.join(sysconfig.get_path("scripts"), "kith" + (sysconfig.get_config_var("EXE") or ""))
    if not os.path.exists(program):  # pip install --user
        scheme = sysconfig.get_preferred_scheme("user")
        program = os.path.join(sysconfig.get_path("scripts", scheme), os.path.basename(program))
    if os.name == "nt":  # execv would leave the console to two processes
        sys.exit(subprocess.call([program, *sys.argv[1:]]))
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
