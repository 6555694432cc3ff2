# The front of tongs-agents-hook: sourced by the shell that the harness started anyway.
#   $1 harness  $2 --from  $3 installed|attached  $4 event  $5 python  $6 this directory
# The command that sources it has set the trap by which the shell ends with 0 whatever
# happens: 2 would block the tool that the harness is about to use.
# A tool event starts no process, reads no input, prints nothing. POSIX sh, and no more.
# A shell parses no further than it runs: what is needed most often comes first.

case ${TONGS_AGENTS_LAUNCH_ID-} in
'')
  case $4 in PreToolUse | PostToolUse | PeerTool | Subagent*) exit 0 ;; esac
  tongs_claimed=$PPID
  ;;
*[!0123456789abcdefghijklmnopqrstuvwxyz-]*) exit 0 ;;
????????*)
  [ ${#TONGS_AGENTS_LAUNCH_ID} -le 64 ] || exit 0
  [ "$3${TONGS_AGENTS_ATTACHED-}" != installedyes ] || exit 0
  tongs_claimed=${TONGS_AGENTS_LAUNCH_PID-}
  ;;
*) exit 0 ;;
esac

# The pulse of a tool event; ends here unless the launch's bell is up. Written over, not
# emptied first: after that ext4 allocates a block each time.
tongs_pulse() {
  case $1 in
  PreToolUse) tongs_event='PreToolUse ' ;;
  PostToolUse) tongs_event='PostToolUse' ;;
  *) return ;;
  esac
  case ${TONGS_AGENTS_RUNTIME_DIR-} in /*) ;; *) exit 0 ;; esac
  umask 077
  echo "$tongs_event" 2>&- 1<>"$TONGS_AGENTS_RUNTIME_DIR/pulses/$TONGS_AGENTS_LAUNCH_ID"
  [ -e "$TONGS_AGENTS_RUNTIME_DIR/bells/$TONGS_AGENTS_LAUNCH_ID" ] || exit 0
}

# An event counts only if the harness, our parent, is the claimed process.
tongs_ours=
if [ "$PPID" = "$tongs_claimed" ]; then
  tongs_ours=yes
  tongs_pulse "$4"
fi

# What /proc says of process $1: tongs_name, tongs_parent. A name may hold blanks and brackets.
tongs_look() {
  IFS= read -r tongs_stat 2>&- <"/proc/$1/stat" || return 1
  tongs_name=${tongs_stat#*\(}
  tongs_name=${tongs_name%\)*}
  tongs_parent=${tongs_stat##*\) ? }
  tongs_parent=${tongs_parent%% *}
}

# Harness $1, process $2, was started by the claimed process, and that is an interpreter:
# npm's packages bring a script that starts the harness's own program and waits for it.
tongs_launched() {
  tongs_look "$2" || return 1
  [ "$tongs_name" = "$1" ] && [ "$tongs_parent" = "$tongs_claimed" ] || return 1
  tongs_look "$tongs_claimed" || return 1
  case $tongs_name in node | nodejs | MainThread | bun | deno) ;; *) return 1 ;; esac
}

# One step up is allowed above a shell, which is the user's own. Below a declared wrapper
# the harness $1 may be any descendant, but no harness below another.
tongs_below() {
  tongs_look "$PPID" || return 1
  tongs_nearest=$PPID
  case $tongs_name in
  sh | bash | dash | ash | busybox | zsh | ksh | ksh93 | mksh | lksh | yash | fish | csh | tcsh)
    [ "$tongs_parent" = "$tongs_claimed" ] && return 0
    tongs_nearest=$tongs_parent
    ;;
  esac
  tongs_launched "$1" "$tongs_nearest" && return 0
  [ "${TONGS_AGENTS_LAUNCH_WRAPPER-}" = yes ] || return 1
  tongs_look "$PPID" || return 1
  tongs_harness=
  while :; do
    case $tongs_name in
    claude | codex | pi | opencode)
      [ -z "$tongs_harness" ] || return 1
      tongs_harness=$tongs_name
      ;;
    esac
    [ "$tongs_parent" = "$tongs_claimed" ] && return 0
    case $tongs_parent in '' | 0 | 1 | *[!0123456789]*) return 1 ;; esac
    tongs_look "$tongs_parent" || return 1
  done
}

if [ -z "$tongs_ours" ]; then
  tongs_below "$1" || exit 0
  tongs_pulse "$4"
fi
[ ! -x "$5" ] || "$5" -I -S "$6/entry.py" "$1" "$2" "$3" "$4" "$PPID" 2>/dev/null
exit 0
