#!/usr/bin/env node
// Runs the program of this platform. An optional package has it, which npm has installed beside this one.
"use strict";
const { spawn } = require("node:child_process");

const name = `@simsearch/${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/simsearch${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`simsearch: the package ${name} is not installed: install simsearch again with optional packages. There are packages for linux, darwin and win32 on x64 and arm64.`);
  process.exit(2);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends SIGINT to the program, too: it decides when to end.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("error", (e) => {
  console.error(`simsearch: ${e.message}`);
  process.exit(2);
});
child.on("exit", (status, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(status);
  }
});
