// The names of @runs-later. A name belongs here if a program outside the sandbox runs code from the
// file, or starts a program that the file names, although the user did not choose to build, test or
// start the project: when the user opens the directory, enters it, commits, pushes, logs in or
// starts a shell. Files that ordinary work edits all the time do not belong here, whatever runs
// them. Each group cites the documentation; fixtures/sets lists the names that were left out, with
// the reasons.
#pragma once

#include "policy/rules/word_list.h"

namespace ringfence {

// clang-format off
// Names that count everywhere, including packages.
constexpr WordList kRunsLater(
    // git: gitrepository-layout(5), githooks(5), git-config(1)
    "**/.git/hooks\n**/.git/config\n**/config.worktree\n**/.git/info/attributes\n"
    "**/commondir\n**/.git/worktrees/*/commondir\n"
    "**/.git/modules/**/hooks\n**/.git/modules/**/config\n"
    // git: gitrepository-layout(5), "remotes", "branches", "info/grafts", "objects/info/alternates"
    "**/.git/remotes\n**/.git/branches\n**/.git/info/grafts\n"
    "**/.git/objects/info/alternates\n**/.git/modules/**/remotes\n**/.git/modules/**/branches\n"
    "**/.git/modules/**/info/attributes\n**/.git/modules/**/info/grafts\n"
    "**/.git/modules/**/objects/info/alternates\n"
    // git: files from which "git rebase --continue" and "git cherry-pick --continue" resume
    "**/git-rebase-todo\n**/rebase-merge/strategy\n**/.git/sequencer/opts\n"
    "**/.git/worktrees/*/sequencer/opts\n**/.git/modules/**/sequencer/opts\n"
    // Mercurial: hgrc(5); Sapling: sl help config; Jujutsu: "Configuration"; darcs: "Patch actions
    // and hooks"; Pijul: "Configuration"; repo: "Internal filesystem layout". A sharedpath leads to
    // another repository's configuration (hg help internals.requirements, "shared").
    "**/.hg/hgrc\n**/.hg/hgrc-not-shared\n**/.hg/sharedpath\n**/.sl/sharedpath\n**/.git/sl\n"
    "**/.sl/config\n**/.jj/repo/config.toml\n"
    "**/.jj/repo/workspace-config.toml\n**/.jj/workspace-config.toml\n"
    "**/_darcs/prefs/defaults\n**/.pijul/config\n**/.repo/repo\n"
    // MCP servers: code.claude.com "MCP"
    "**/.mcp.json\n"
    // shells: bash(1), zsh(1), fish "Configuration files", ksh(1), mksh(1), tcsh(1), readline(3);
    // the manuals of nushell, PowerShell, Elvish, xonsh, Oh My Zsh, Prezto, Zim and Starship
    "~/.bashrc\n~/.bashrc.d\n~/.bash_profile\n~/.bash_login\n~/.bash_logout\n~/.bash_aliases\n"
    "~/.bash_completion\n~/.local/share/bash-completion\n~/.profile\n~/.zshrc\n~/.zshenv\n"
    "~/.zprofile\n~/.zlogin\n~/.zlogout\n~/.config/zsh\n~/.zsh\n~/.zshrc.d\n~/.zfunc\n"
    "~/.local/share/zsh\n~/.oh-my-zsh\n~/.zprezto\n~/.zpreztorc\n~/.zimrc\n~/.zim\n"
    "~/.config/fish\n~/.local/share/fish/vendor_conf.d\n~/.kshrc\n~/.mkshrc\n~/.shrc\n"
    "~/.cshrc\n~/.tcshrc\n~/.login\n~/.logout\n~/.inputrc\n~/.config/nushell\n"
    "~/.config/powershell\n~/.config/elvish\n~/.elvish\n~/.config/xonsh\n~/.xonshrc\n"
    "~/.config/starship.toml\n~/.config/direnv\n~/.direnvrc\n"
    // version control: git-config(1), hgrc(5), jj and svn "Configuration", tigrc(5), lazygit
    "~/.gitconfig\n~/.config/git\n~/.hgrc\n~/.config/hg\n~/.config/sapling\n~/.config/jj\n"
    "~/.jjconfig.toml\n~/.subversion/config\n~/.darcs\n~/.config/darcs\n~/.config/pijul\n"
    "~/.config/breezy\n~/.tigrc\n~/.config/tig\n~/.config/lazygit\n~/.local/share/gh/extensions\n"
    // editors: vim(1) FILES, nvim(1), emacs(1), nanorc(5), kak(1), helix "Configuration", VS Code
    // "User settings", Zed, Sublime Text, JetBrains "Directories used by the IDE"
    "~/.vimrc\n~/.gvimrc\n~/.vim\n~/.config/vim\n~/.config/nvim\n~/.local/share/nvim\n"
    "~/.SpaceVim.d\n~/.emacs\n~/.emacs.el\n~/.emacs.d\n~/.config/emacs\n~/.spacemacs\n"
    "~/.spacemacs.d\n~/.doom.d\n~/.config/doom\n~/.nanorc\n~/.config/nano\n~/.config/helix\n"
    "~/.config/kak\n~/.config/micro\n~/.config/zed\n~/.config/Code/User\n~/.vscode-server\n"
    "~/.config/VSCodium/User\n~/.vscode-oss\n~/.config/Cursor/User\n~/.config/Windsurf/User\n"
    "~/.config/sublime-text\n~/.config/sublime-text-3\n~/.config/JetBrains\n"
    "~/.local/share/JetBrains\n~/.ideavimrc\n~/.config/geany\n"
    // interpreters and consoles: python(1) PYTHONSTARTUP, site module, IPython, Jupyter "Config
    // file and paths", node "Loading from the global folders", R "Startup", sbcl(1), guile "Init
    // File", racket, lein, sbt and Gradle "Initialization scripts", maven .mavenrc, julia "Startup"
    "~/.local/lib/python*/site-packages/*customize.py\n"
    "~/.local/lib/python*/site-packages/*.pth\n~/.pythonrc\n~/.pythonrc.py\n~/.ipython\n"
    "~/.jupyter\n~/.local/share/jupyter/kernels\n~/.node_modules\n~/.node_libraries\n"
    "~/.config/irb\n~/.config/pry\n~/.railsrc\n~/.julia/config\n~/.sbclrc\n~/.clisprc\n"
    "~/.roswell\n~/.guile\n~/.racketrc\n~/.config/racket\n~/.erlang\n~/.config/utop\n~/.lein\n"
    "~/.clojure\n~/.sbt\n~/.gradle/init.gradle\n~/.gradle/init.d\n~/.mavenrc\n"
    "~/.pydistutils.cfg\n~/.cargo/config\n~/.cargo/config.toml\n"
    // debuggers, pagers and terminals: gdb(1), lldb(1), radare2(1), less(1), lesspipe(1),
    // screen(1), tmux(1), byobu(1), zellij, kitty, alacritty(5), wezterm, ghostty, terminator
    "~/.gdbinit\n~/.gdbearlyinit\n~/.config/gdb\n~/.lldbinit\n~/.radare2rc\n~/.config/radare2\n"
    "~/.screenrc\n~/.lesskey\n~/.lessfilter\n~/.tmux.conf\n~/.tmux\n~/.config/tmux\n"
    "~/.config/tmuxinator\n~/.config/tmuxp\n~/.byobu\n~/.config/byobu\n~/.config/zellij\n"
    "~/.config/kitty\n~/.config/alacritty\n~/.alacritty.toml\n~/.config/wezterm\n"
    "~/.wezterm.lua\n~/.config/ghostty\n~/.config/foot\n~/.config/terminator\n~/.hyper.js\n"
    "~/.Xresources\n~/.Xdefaults\n~/.urxvt\n"
    // file managers and mail: ranger(1), lf(1), yazi, nnn(1), vifm(1), mc(1), Nautilus scripts,
    // mailcap(5), mimeapps specification, procmailrc(5), forward(5)
    "~/.config/ranger\n~/.config/lf\n~/.config/yazi\n~/.config/nnn\n~/.config/vifm\n"
    "~/.config/mc\n~/.local/share/nautilus\n~/.local/share/nemo\n~/.local/share/kio\n"
    "~/.config/Thunar\n~/.mailcap\n~/.config/mimeapps.list\n~/.local/share/mime\n"
    "~/.local/share/thumbnailers\n~/.procmailrc\n~/.mailfilter\n~/.forward\n~/.qmail\n"
    // session and desktop: Xsession(5), pam_env(8), environment.d(5), autostart and desktop entry
    // specifications, systemd.unit(5), D-Bus specification, tmpfiles.d(5), pipewire.conf(5), the
    // manuals of the window managers, bars and launchers
    "~/.pam_environment\n~/.config/environment.d\n~/.xprofile\n~/.xinitrc\n~/.xserverrc\n"
    "~/.xsession\n~/.xsessionrc\n~/.gnomerc\n~/.config/plasma-workspace\n~/.config/autostart\n"
    "~/.config/autostart-scripts\n~/.config/systemd/user\n~/.local/share/systemd/user\n"
    "~/.config/user-tmpfiles.d\n~/.local/share/dbus-1\n~/.local/share/applications\n"
    "~/.local/share/gnome-shell\n~/.local/share/cinnamon\n~/.local/share/plasma\n"
    "~/.local/share/kwin\n~/.config/kglobalshortcutsrc\n~/.config/i3\n~/.i3\n~/.config/sway\n"
    "~/.config/hypr\n~/.config/niri\n~/.config/river\n~/.config/labwc\n~/.config/awesome\n"
    "~/.config/bspwm\n~/.config/sxhkd\n~/.config/openbox\n~/.fluxbox\n~/.config/qtile\n"
    "~/.xmonad\n~/.config/xmonad\n~/.config/herbstluftwm\n~/.config/polybar\n~/.config/waybar\n"
    "~/.config/eww\n~/.config/dunst\n~/.config/lxsession\n~/.xbindkeysrc\n~/.config/mpv\n"
    "~/.config/conky\n~/.conkyrc\n~/.config/espanso\n~/.local/share/ulauncher\n"
    "~/.config/pipewire\n~/.config/wireplumber\n~/.asoundrc\n~/.hammerspoon\n"
    "~/.config/karabiner\n~/.skhdrc\n~/.config/skhd\n~/.yabairc\n~/.config/yabai\n"
    "~/Library/LaunchAgents\n"
    // directories on PATH, and files of tool managers that shells source: the installers of cargo,
    // go, deno, bun, volta, dotnet, composer, krew, ghcup, cabal, pub, mise, asdf, pyenv, rbenv,
    // nvm
    "~/.local/bin\n~/bin\n~/.cargo/bin\n~/.cargo/env\n~/go/bin\n~/.deno/bin\n~/.deno/env\n"
    "~/.bun/bin\n~/.volta/bin\n~/.npm-global/bin\n~/.yarn/bin\n~/.dotnet/tools\n"
    "~/.composer/vendor/bin\n~/.config/composer/vendor/bin\n~/.krew/bin\n~/.ghcup/bin\n"
    "~/.ghcup/env\n~/.cabal/bin\n~/.pub-cache/bin\n~/.local/share/mise/shims\n~/.asdf/shims\n"
    "~/.asdf/plugins\n~/.asdf/asdf.sh\n~/.asdfrc\n~/.pyenv/shims\n~/.pyenv/plugins\n"
    "~/.rbenv/shims\n~/.rbenv/plugins\n~/.nvm/nvm.sh\n~/.nix-profile\n~/.config/nix\n"
    "~/.config/nixpkgs\n~/.config/home-manager\n"
    // plugins of command line tools: Docker "CLI plugins", Helm, Terraform, Packer, Vagrant,
    // Ansible "Configuration settings"
    "~/.docker/cli-plugins\n~/.local/share/helm/plugins\n~/.terraform.d/plugins\n~/.packer.d\n"
    "~/.vagrant.d\n~/.ansible.cfg\n~/.ansible/plugins\n");

// Names that do not count in packages. Packages and new clones bring their own, which the user does
// not open, commit or push.
constexpr WordList kRunsInProjects(
    // other agents: MCP servers, hooks, commands, skills and rules, as the documentation of
    // Cursor, Codex, Gemini CLI, Kiro, Amazon Q, Roo Code, Kilo Code, Windsurf, Cline, opencode,
    // Continue, Augment, Junie, Factory, Qwen Code, Crush, Trae, OpenHands, aider, Amp, Copilot,
    // pi, goose, Warp and agentskills.io describes them
    "**/.cursor\n**/.codex/config.toml\n**/.codex/hooks.json\n**/.codex/hooks\n"
    "**/.codex/agents\n**/.codex/skills\n**/.codex/prompts\n**/.codex/rules\n**/.gemini\n"
    "**/.kiro/hooks\n**/.kiro/settings\n**/.kiro/agents\n**/.kiro/steering\n**/.kiro/skills\n"
    "**/.amazonq\n**/.roo\n**/.roomodes\n**/.kilocode\n**/.kilocodemodes\n**/.windsurf\n"
    "**/.clinerules\n**/.cline\n**/.opencode\n**/opencode.json\n**/opencode.jsonc\n"
    "**/.continue\n**/.augment\n**/.junie\n**/.factory\n**/.qwen\n**/.crush\n**/.crush.json\n"
    "**/crush.json\n**/.trae\n**/.openhands\n**/.aider.conf.yml\n**/.amp\n**/.agents\n"
    "**/.agent\n**/.github/hooks\n**/.github/agents\n**/.github/chatmodes\n"
    "**/.github/prompts\n**/.github/skills\n**/.github/copilot\n**/.github/lsp.json\n"
    "**/.copilot\n**/.pi\n**/.goose\n**/.warp\n"
    // git hooks that a tool installs: the tools' own manuals
    "**/.husky\n**/.huskyrc*\n**/.githooks\n**/.git-hooks\n**/.pre-commit-config.yaml\n"
    "**/.pre-commit-config.yml\n**/prek.toml\n**/lefthook.yml\n**/lefthook.yaml\n"
    "**/lefthook.toml\n**/lefthook.json\n**/lefthook.jsonc\n**/lefthook-local.*\n"
    "**/.lefthook*\n**/.overcommit.yml\n**/captainhook.json\n**/hk.pkl\n"
    // where git-lfs pushes to: git-lfs-config(5), LFSCONFIG
    "**/.lfsconfig\n"
    // continuous integration, by the names that each service looks for
    "**/.github/workflows\n**/.github/actions\n**/.gitea/workflows\n**/.forgejo/workflows\n"
    "**/.gitlab-ci.yml\n**/.circleci\n**/Jenkinsfile\n**/azure-pipelines.yml\n"
    "**/.azure-pipelines\n**/bitbucket-pipelines.yml\n**/.travis.yml\n**/.drone.yml\n"
    "**/.woodpecker\n**/.woodpecker.yml\n**/.woodpecker.yaml\n**/.buildkite\n**/.cirrus.yml\n"
    "**/.cirrus.star\n**/appveyor.yml\n**/.appveyor.yml\n**/.build.yml\n**/.builds\n"
    "**/.semaphore\n**/.teamcity\n**/.tekton\n**/buildspec.yml\n**/.zuul.yaml\n**/.zuul.d\n"
    // editors and their containers: "Workspace settings" and tasks of VS Code, JetBrains, Zed,
    // Visual Studio, Nova, Theia; containers.dev; Gitpod, Firebase Studio, Replit, CodeSandbox,
    // StackBlitz, devfile.io; vim(1) "exrc", lazy.nvim, neoconf, coc.nvim, localvimrc, ycmd,
    // Helix "Configuration"; Emacs "Per-Directory Local Variables"; Sublime Text "Projects";
    // Kate; Eclipse "External tools"
    "**/.vscode\n**/*.code-workspace\n**/.idea\n**/.run\n**/.fleet\n**/.zed\n**/.vs\n**/.nova\n"
    "**/.theia\n**/.devcontainer\n**/.devcontainer.json\n**/.gitpod.yml\n**/.idx\n**/.replit\n"
    "**/.codesandbox\n**/.stackblitzrc\n**/devfile.yaml\n**/.devfile.yaml\n**/.helix\n"
    "**/.exrc\n**/.nvim.lua\n**/.nvimrc\n**/.lazy.lua\n**/.neoconf.json\n"
    "**/.vim/coc-settings.json\n**/.lvimrc\n**/.ycm_extra_conf.py\n**/.dir-locals.el\n"
    "**/.dir-locals-2.el\n**/*.sublime-project\n**/.kateproject\n**/.externalToolBuilders\n"
    // files that a shell runs when it enters a directory, or in place of a command typed there:
    // direnv(1) and direnv-stdlib(1) (source_env checks no approval), mise "Configuration" and
    // "Hooks", asdf "Versions", shadowenv, autoenv, Yarn "yarnPath" and "plugins"
    "**/.envrc\n**/.envrc.local\n**/.envrc.private\n**/.direnv\n**/mise.toml\n**/mise.*.toml\n**/.mise.toml\n**/.mise.*.toml\n"
    "**/.mise\n**/mise/config.toml\n**/.config/mise\n**/.config/mise.toml\n**/.tool-versions\n"
    "**/.shadowenv.d\n**/.autoenv\n**/.autoenv.zsh\n**/.yarnrc.yml\n"
    "**/.yarn/releases\n**/.yarn/plugins\n"
    // consoles that read a file in the directory they are started in: R "Startup", irb, pry, ghci,
    // ocaml(1), iex, octave, pdb; and tools that load code named in it: Arcanist, RBTools
    "**/.Rprofile\n**/.Renviron\n**/.irbrc\n**/.pryrc\n**/.ghci\n**/.ocamlinit\n**/.iex.exs\n"
    "**/.octaverc\n**/.pdbrc\n**/.arcconfig\n**/.reviewboardrc\n");
// clang-format on

}  // namespace ringfence
