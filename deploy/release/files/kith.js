#!/usr/bin/env node
// Starts the kith of this platform, which is in an optional dependency.
"use strict";
const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const platform = `${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "kith.exe" : "kith";
let program;
try {
  program = require.resolve(`@kith/server-${platform}/bin/${file}`);
} catch {
  console.error(
    `kith: the package @kith/server-${platform} is missing. Install kith-server again without --omit=optional; ` +
      "if there is no package for this platform, build Kith from source.",
  );
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`kith: ${error.message}`);
  process.exit(1);
});
child.on("exit", (status, signal) => process.exit(signal ? 128 + constants.signals[signal] : status));
