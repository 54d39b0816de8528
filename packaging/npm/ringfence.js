#!/usr/bin/env node
// Starts ringfence's programs, which are in a package for each platform. `init` and `install` first
// copy them out of npm's directories: a registration of the hook names an absolute path, and npm
// replaces and removes its directories.
'use strict';

const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { version } = require('./package.json');

const ARCHITECTURES = ['x64', 'arm64'];
const FILE_LIST = 'share/ringfence/files.sha256';

const say = line => process.stderr.write(`ringfence: ${line}\n`);

function fail(what, hint) {
  say(what);
  if (hint) process.stderr.write(`Hint: ${hint}\n`);
  process.exit(2);
}

// -- the programs of this platform -------------------------------------------------------------------

function hasGlibc() {
  return Boolean(process.report.getReport().header.glibcVersionRuntime);
}

function checkPlatform() {
  const { platform, arch } = process;
  if (platform !== 'linux') {
    fail(`there are no programs for "${platform}": ringfence needs the Linux kernel. Nothing was changed`,
      platform === 'win32'
        ? 'run ringfence and Claude Code together in WSL 2'
        : 'run ringfence and Claude Code together in a virtual machine with Linux');
  }
  if (!ARCHITECTURES.includes(arch)) {
    fail(`there are no programs for Linux on "${arch}", only for ${ARCHITECTURES.join(' and ')}. Nothing was changed`,
      'build ringfence from its source: ./install.sh');
  }
}

// The directory of the package with the programs.
function findPrograms() {
  checkPlatform();
  const name = `@ringfence/linux-${process.arch}`;
  let file;
  try {
    file = require.resolve(`${name}/package.json`);
  } catch {
    if (!hasGlibc()) {
      fail('this system has no glibc, which the egress proxy and "ringfence stage" need, so npm left the programs out. '
        + 'Nothing was changed', 'the hook and "ringfence run" are static programs: install them from ringfence\'s tarball');
    }
    fail(`the package ${name} is not installed: npm leaves it out with --omit=optional or a lock file of another `
      + 'platform. Nothing was changed', `npm install --include=optional ringfence@${version}`);
  }
  const found = require(file).version;
  if (found !== version) {
    fail(`the package ringfence is version ${version}, but ${name} is version ${found}. Nothing was changed`,
      `install both again: npm install ringfence@${version}`);
  }
  return path.dirname(file);
}

// -- the installed programs ----------------------------------------------------------------------------

function isSame(one, other) {
  try {
    return fs.readFileSync(one).equals(fs.readFileSync(other));
  } catch {
    return false;
  }
}

// With npm's prefix ~/.local, bin/ringfence there is npm's link to this file. The programs then have
// a directory of their own.
const PREFIXES = ['.local', '.local/lib/ringfence'];

// "" if there is none: the programs then say what to do.
function homeDirectory() {
  try {
    return os.homedir();
  } catch {
    return '';
  }
}

function isThisFile(program) {
  try {
    return fs.realpathSync(program) === fs.realpathSync(__filename);
  } catch {
    return false;
  }
}

// The program of an installation in the home directory, or "".
function findInstalled() {
  for (const prefix of PREFIXES.map(below => path.join(homeDirectory(), below))) {
    const program = path.join(prefix, 'bin/ringfence');
    const isThere = fs.existsSync(path.join(prefix, FILE_LIST)) && fs.existsSync(program);
    if (path.isAbsolute(prefix) && isThere && !isThisFile(program)) return program;
  }
  return '';
}

// The words to add to `install`, whose own default is ~/.local.
function prefixWords(words) {
  const home = valueOf('--home', words) || homeDirectory();
  if (valueOf('--prefix', words) || !isThisFile(path.join(home, '.local/bin/ringfence'))) return [];
  return ['--prefix', path.join(home, PREFIXES[1])];
}

// The value of an option in one of its two forms; "" without it.
function valueOf(option, words) {
  const at = words.indexOf(option);
  if (at >= 0) return words[at + 1] ?? '';
  const joined = words.find(word => word.startsWith(`${option}=`));
  return joined ? joined.slice(option.length + 1) : '';
}

// Copies the programs, says where, and returns their prefix.
function install(programs, words) {
  const home = valueOf('--home', words);
  const options = ['install', '--json', ...(home ? ['--home', home] : []), ...prefixWords(words)];
  const dryRun = words.includes('--dry-run');
  if (dryRun) options.push('--dry-run');
  const done = spawnSync(programs, options, { stdio: ['inherit', 'pipe', 'inherit'], encoding: 'utf8' });
  if (done.error) fail(`${programs} could not be started: ${done.error.message}`);
  if (done.signal) process.kill(process.pid, done.signal);
  if (done.status !== 0) process.exit(done.status ?? 2);
  const report = JSON.parse(done.stdout);
  const verb = dryRun ? 'would be copied' : 'were copied';
  say(report.changed
    ? `the programs of version ${report.version} ${verb} to ${report.prefix}`
    : `version ${report.version} is already installed in ${report.prefix}`);
  for (const note of report.notes) say(`note: ${note}`);
  return report.prefix;
}

// -- starting -------------------------------------------------------------------------------------------

const SIGNALS = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGCONT'];

// Runs the program in place of this process, as far as node can: with its streams, signals and end.
function run(program, words) {
  let child;
  const passOn = signal => {
    // The terminal sends these to the child as well.
    const isFromTerminal = process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT');
    if (!isFromTerminal) child.kill(signal);
  };
  // Before the program runs: it can be ready for a signal at once.
  for (const signal of SIGNALS) process.on(signal, passOn);
  child = spawn(program, words, { stdio: 'inherit' });
  child.on('error', error => fail(`${program} could not be started: ${error.message}`));
  child.on('exit', (status, signal) => {
    for (const one of SIGNALS) process.removeListener(one, passOn);
    if (signal === null) process.exit(status);
    process.kill(process.pid, signal);
    setTimeout(() => process.exit(128 + (os.constants.signals[signal] ?? 0)), 1000);
  });
}

function warnRoot() {
  if (process.getuid?.() !== 0 || !process.env.SUDO_UID) return;
  say(`note: sudo runs this as root, for the home directory ${homeDirectory()}; without sudo it is for your own`);
}

function noteOtherVersion(programs, installed) {
  const list = path.join(path.dirname(path.dirname(installed)), FILE_LIST);
  if (isSame(list, path.join(programs, FILE_LIST))) return;
  say(`note: this runs ${installed}, which is another version than npm's ${version}; `
    + `to install that: npx ringfence@${version} install`);
}

function main(words) {
  const programs = findPrograms();
  const own = path.join(programs, 'bin/ringfence');
  const isHelp = words.includes('--help') || words.includes('-h');
  if (isHelp) return run(own, words);
  if (words[0] === 'install') return run(own, [...words, ...prefixWords(words)]);
  if (words[0] === 'init') {
    warnRoot();
    const program = path.join(install(own, words), 'bin/ringfence');
    if (!words.includes('--dry-run') || fs.existsSync(program)) return run(program, words);
    say(`note: below, ${programs} is named instead, because nothing is installed yet`);
    return run(own, words);
  }
  const installed = findInstalled();
  if (!installed) return run(own, words);
  noteOtherVersion(programs, installed);
  return run(installed, words);
}

main(process.argv.slice(2));
