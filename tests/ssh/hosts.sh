#!/usr/bin/env bash
# ssh-hosts: private SSH hosts worker1..N on 127.0.0.1, for tests.
#
#   ssh-hosts up [--workers N] [--port P] [--users] [--dir D]
#                                                   worker K listens on port P+K-1 (default 3 from 2222)
#   ssh-hosts down [--dir D] [--purge]                end the hosts and everything started through them
#   ssh-hosts env [--dir D]                           print export lines, for: eval "$(ssh-hosts env)"
#   ssh-hosts status [--dir D]                        exit 0 when every host accepts a login
#   ssh-hosts worker stop|crash|start NAME [--dir D]  stop: no new logins, sessions go on; crash: end
#                                                   the host and all that runs on it; start: restart it
#
# Everything (configuration, keys, logs, pid files) lives under D, default $SSH_HOSTS_DIR or /tmp/ssh-hosts.
# As root each worker has its own hostname; they share the file system and the users of this machine. With --users,
# where mounts are possible, there is a user as-SHELL for each installed shell, with root's rights and a home folder of its own,
# D/users/as-SHELL. These hosts do not see what is mounted later.
set -euo pipefail
umask 022

PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"
export LC_ALL=C

PROG=ssh-hosts
WORKERS=3
PORT=2222
DIR=${SSH_HOSTS_DIR:-/tmp/ssh-hosts}
PURGE=0
USERS=0
GIVEN=0

say() { printf '%s: %s\n' "$PROG" "$*" >&2; }
die() { say "error: $*"; exit 1; }
usage() { sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"; }
now_ms() { local t=${EPOCHREALTIME/[^0-9]/}; echo $((t / 1000)); }

# ---- processes: a pid file holds "PID STARTTIME", so a reused pid is never taken for ours ----

# What stands behind the name in the stat file of a process, as words of REPLY; a name may contain line breaks.
read_stat() { # FILE
	REPLY=
	{ IFS= read -r -d '' REPLY <"$1" || [ -n "$REPLY" ]; } 2>/dev/null || return 1
	REPLY=${REPLY##*) }
}

# Start time (clock ticks since boot) of a live, non-zombie process; fails when there is none.
proc_start() {
	local REPLY
	read_stat "/proc/$1/stat" || return 1
	set -- $REPLY
	[ "$1" != Z ] && [ "$1" != X ] || return 1
	echo "${20}"
}

alive() { # NAME
	local pid start
	[ -r "$DIR/run/$1.pid" ] && read -r pid start <"$DIR/run/$1.pid" || return 1
	[ -n "${start:-}" ] && [ "$(proc_start "$pid")" = "$start" ]
}

wait_gone() { # SECONDS PID:START...
	local end=$(($(now_ms) + $1 * 1000)) p left
	shift
	while :; do
		left=0
		for p; do [ "$(proc_start "${p%:*}")" != "${p#*:}" ] || left=1; done
		[ $left = 1 ] || return 0
		[ "$(now_ms)" -lt "$end" ] || return 1
		sleep 0.05
	done
}

# What runs on a worker, as PID:START: the descendants of its sshd, and every process that has the
# variable which that sshd sets in its sessions (so also what was left in the background).
worker_processes() { # NAME
	local p pid ppid start root= grew=1 REPLY
	local -A mine=()
	local -a all=()
	if alive "$1"; then read -r root start <"$DIR/run/$1.pid"; fi
	for p in /proc/[0-9]*; do
		pid=${p#/proc/}
		read_stat "$p/stat" || continue
		set -- "$1" $REPLY
		[ "$2" != Z ] || continue
		all+=("$pid $3 ${21}")
		if [ "$pid" = "$root" ] || grep -qszxF "SSH_HOSTS_SESSION=$DIR:$1" "$p/environ" 2>/dev/null; then mine[$pid]=${21}; fi
	done
	[ ${#mine[@]} -gt 0 ] || return 0
	while [ $grew = 1 ]; do
		grew=0
		for p in "${all[@]}"; do
			read -r pid ppid start <<<"$p"
			if [ -z "${mine[$pid]:-}" ] && [ -n "${mine[$ppid]:-}" ]; then mine[$pid]=$start grew=1; fi
		done
	done
	for pid in "${!mine[@]}"; do echo "$pid:${mine[$pid]}"; done
}

stop_worker() { # NAME: the listener only
	local pid start
	if alive "$1"; then
		read -r pid start <"$DIR/run/$1.pid"
		kill -TERM "$pid" 2>/dev/null || true
		if ! wait_gone 5 "$pid:$start"; then
			kill -KILL "$pid" 2>/dev/null || true
			wait_gone 5 "$pid:$start" || die "cannot end sshd of $1 (pid $pid)"
		fi
	fi
	rm -f "$DIR/run/$1.pid"
}

crash_worker() { # NAME
	local procs
	mapfile -t procs < <(worker_processes "$1")
	if [ ${#procs[@]} -gt 0 ]; then
		# All are stopped first, or a shell would go on with its next command once its child is gone.
		kill -STOP "${procs[@]%:*}" 2>/dev/null || true
		kill -KILL "${procs[@]%:*}" 2>/dev/null || true
		wait_gone 5 "${procs[@]}" || die "processes of $1 do not end: ${procs[*]}"
	fi
	rm -f "$DIR/run/$1.pid"
}

# ---- set-up ----

need_packages() {
	local missing=() log
	[ -x /usr/sbin/sshd ] || missing+=(openssh-server)
	command -v ssh >/dev/null && command -v ssh-keygen >/dev/null || missing+=(openssh-client)
	[ ${#missing[@]} -gt 0 ] || return 0
	command -v apt-get >/dev/null || die "not installed: ${missing[*]} (and no apt-get here)"
	[ "$(id -u)" = 0 ] || die "not installed: ${missing[*]}; run as root: apt-get install ${missing[*]}"
	say "installing ${missing[*]}"
	log=$(mktemp)
	(
		apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
		# While the packages are set up, a policy keeps their services from starting.
		policy=/usr/sbin/policy-rc.d
		if [ ! -e $policy ]; then
			trap 'rm -f $policy' EXIT
			printf '#!/bin/sh\nexit 101\n' >$policy
			chmod 755 $policy
		fi
		"${apt[@]}" install -y --no-install-recommends "${missing[@]}" ||
			{ "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; }
	) </dev/null >"$log" 2>&1 9>&- || { tail -n 20 "$log" >&2; die "apt-get failed; its output is in $log"; }
	rm -f "$log"
	hash -r
}

# Other names of root with other login shells: a passwd file that only the workers see.
write_users() {
	local shell path
	mkdir -p "$DIR/users"
	cp /etc/passwd "$DIR/etc/passwd"
	for shell in bash dash zsh tcsh csh fish mksh; do
		path=$(command -v $shell) || continue
		mkdir -p "$DIR/users/as-$shell"
		echo "as-$shell:x:0:0::$DIR/users/as-$shell:$path" >>"$DIR/etc/passwd"
	done
}

worker_names() { local i; for ((i = 1; i <= WORKERS; i++)); do echo "worker$i"; done; }
port_of() { echo $((PORT + ${1#worker} - 1)); }
port_open() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

write_conf() {
	local w user pam=no
	user=$(id -un)
	mkdir -p "$DIR"/{etc,run,log,bin,home}
	chmod 755 "$DIR" "$DIR"/{etc,run,log,bin}
	# Without PAM sshd refuses an account whose password is locked ("!"), even with a key.
	if [ "$(id -u)" = 0 ] && grep -qE "^$user:!" /etc/shadow 2>/dev/null; then pam=yes; fi
	[ -s "$DIR/etc/host_key" ] || ssh-keygen -q -t ed25519 -N '' -C ssh-hosts-host -f "$DIR/etc/host_key"
	[ -s "$DIR/etc/id" ] || ssh-keygen -q -t ed25519 -N '' -C ssh-hosts-user -f "$DIR/etc/id"
	cp "$DIR/etc/id.pub" "$DIR/etc/authorized_keys"
	: >"$DIR/etc/known_hosts"
	# The key exchange: with the default one (sntrup761) both ends of a login together take 0.2 s of CPU here,
	# where all ends are on one machine; this one takes 0.06 s.
	cat >"$DIR/etc/ssh_config" <<-END
		Host worker*
			HostName 127.0.0.1
			User $user
			IdentityFile $DIR/etc/id
			IdentitiesOnly yes
			IdentityAgent none
			PreferredAuthentications publickey
			UserKnownHostsFile $DIR/etc/known_hosts
			GlobalKnownHostsFile /dev/null
			StrictHostKeyChecking yes
			BatchMode yes
			ConnectTimeout 5
			LogLevel ERROR
			KexAlgorithms curve25519-sha256
	END
	write_users
	for w in $(worker_names); do
		# What tests replace: of most settings the first value counts, of MaxStartups the last.
		echo 'MaxStartups 200' >"$DIR/etc/sshd_more.$w"
		printf 'Host %s\n\tPort %s\n\tHostKeyAlias %s\n' "$w" "$(port_of "$w")" "$w" >>"$DIR/etc/ssh_config"
		echo "$w $(cut -d' ' -f1,2 "$DIR/etc/host_key.pub")" >>"$DIR/etc/known_hosts"
		cat >"$DIR/etc/sshd_config.$w" <<-END
			Include $DIR/etc/sshd_more.$w
			ListenAddress 127.0.0.1
			Port $(port_of "$w")
			HostKey $DIR/etc/host_key
			PidFile $DIR/run/$w.own-pid
			AuthorizedKeysFile $DIR/etc/authorized_keys
			StrictModes no
			AllowUsers $user as-*
			PermitRootLogin prohibit-password
			PasswordAuthentication no
			KbdInteractiveAuthentication no
			UsePAM $pam
			UseDNS no
			X11Forwarding no
			PrintMotd no
			PrintLastLog no
			MaxSessions 200
			LogLevel VERBOSE
			Subsystem sftp internal-sftp
			SetEnv SSH_HOSTS_SESSION=$DIR:$w PATH=${HOSTS_PATH:-$PATH}
			Match User $user
				SetEnv SSH_HOSTS_SESSION=$DIR:$w PATH=${HOSTS_PATH:-$PATH} HOME=$DIR/home
		END
	done
	# Wrappers, so that a plain "ssh worker1" finds the private configuration.
	for w in ssh scp sftp; do
		printf '#!/bin/sh\nexec %s -F %s "$@"\n' "$(command -v $w)" "$DIR/etc/ssh_config" >"$DIR/bin/$w"
		chmod 755 "$DIR/bin/$w"
	done
}

start_worker() { # NAME
	local name=$1 pid start end
	[ "$(id -u)" != 0 ] || mkdir -p -m 755 /run/sshd
	(
		# No inherited descriptor or variable: the daemon must not hold the caller's pipes or lock.
		for fd in /proc/self/fd/*; do
			fd=${fd##*/}
			if [ "$fd" -gt 2 ]; then eval "exec $fd>&-"; fi
		done
		cd /
		set -- env -i PATH="$PATH" LC_ALL=C ${TZ+TZ="$TZ"} /usr/sbin/sshd -D -e -f "$DIR/etc/sshd_config.$name"
		if [ $USERS = 1 ] && unshare --uts --mount mount --bind "$DIR/etc/passwd" /etc/passwd 2>/dev/null; then
			set -- unshare --uts --mount sh -c 'mount --bind "$0" /etc/passwd && echo "$1" >/proc/sys/kernel/hostname && shift && exec "$@"' \
				"$DIR/etc/passwd" "$name" "$@"
			: >"$DIR/run/with-users"
		elif unshare --uts true 2>/dev/null; then
			set -- unshare --uts sh -c 'echo "$0" >/proc/sys/kernel/hostname && exec "$@"' "$name" "$@"
		fi
		exec setsid "$@"
	) </dev/null >>"$DIR/log/$1.log" 2>&1 &
	pid=$!
	start=$(proc_start "$pid") || die "sshd of $1 ended at once: $(tail -n 5 "$DIR/log/$1.log")"
	echo "$pid $start" >"$DIR/run/$1.pid"
	end=$(($(now_ms) + 10000))
	until ssh -F "$DIR/etc/ssh_config" "$1" true 2>"$DIR/run/ssh.err"; do
		alive "$1" || die "sshd of $1 ended: $(tail -n 5 "$DIR/log/$1.log")"
		[ "$(now_ms)" -lt "$end" ] || die "cannot log in to $1: $(cat "$DIR/run/ssh.err") (log: $DIR/log/$1.log)"
		sleep 0.05
	done
}

save_options() { printf '%s=%s\n' WORKERS "$WORKERS" PORT "$PORT" USERS "$USERS" >"$DIR/options"; }
load_options() {
	local k v
	[ -r "$DIR/options" ] || return 1
	while IFS='=' read -r k v; do
		case $k in WORKERS | PORT | USERS) printf -v "$k" %s "$v" ;; esac
	done <"$DIR/options"
}

any_alive() {
	local f
	for f in "$DIR"/run/*.pid; do
		[ -e "$f" ] || continue
		f=${f##*/}
		if alive "${f%.pid}"; then return 0; fi
	done
	return 1
}

cmd_up() {
	local t0 want w
	t0=$(now_ms)
	need_packages
	[[ $WORKERS =~ ^[1-9][0-9]*$ ]] && [ "$WORKERS" -le 128 ] || die "--workers must be in 1..128, not '$WORKERS'"
	[[ $PORT =~ ^[1-9][0-9]*$ ]] && [ "$PORT" -ge 1024 ] && [ "$PORT" -le 65000 ] || die "--port must be in 1024..65000, not '$PORT'"
	[[ $DIR =~ ^[A-Za-z0-9/._+-]+$ ]] || die "the path $DIR may hold only letters, digits and / . _ + -"
	if any_alive; then
		want="$WORKERS $PORT"
		load_options || die "hosts run in $DIR, but $DIR/options is gone; run '$PROG down' first"
		[ $GIVEN = 0 ] || [ "$want" = "$WORKERS $PORT" ] ||
			die "hosts with other options run in $DIR (workers port: $WORKERS $PORT; asked: $want); run '$PROG down' first"
	else
		rm -rf "$DIR"/{etc,run,log,bin,users,options}
		for w in $(worker_names); do
			if port_open "$(port_of "$w")"; then die "port $(port_of "$w") is taken; choose another --port"; fi
		done
		write_conf
		save_options
		# A start that fails leaves nothing running; its logs stay.
		trap 'PURGE=0; trap - EXIT; cmd_down >/dev/null 2>&1 || true; say "start failed, stopped; logs: $DIR/log"' EXIT
	fi
	for w in $(worker_names); do alive "$w" || start_worker "$w"; done
	trap - EXIT
	say "up: worker1..worker$WORKERS on 127.0.0.1 from port $PORT, in $DIR ($(($(now_ms) - t0)) ms)"
}

cmd_down() {
	local w
	if [ ! -d "$DIR" ]; then say "nothing in $DIR"; return 0; fi
	if load_options; then
		for w in $(worker_names); do
			stop_worker "$w"
			crash_worker "$w"
		done
	fi
	if [ "$PURGE" = 1 ]; then rm -rf "$DIR"/{etc,run,log,bin,home,users,options,lock}; rmdir "$DIR" 2>/dev/null || true; fi
	say "down"
}

cmd_env() {
	load_options || die "no hosts in $DIR; run '$PROG up' first"
	printf 'export SSH_HOSTS_DIR=%q\n' "$DIR"
	printf 'export SSH_HOSTS_CONFIG=%q\n' "$DIR/etc/ssh_config"
	printf 'export SSH_HOSTS_HOSTS=%q\n' "$(worker_names | paste -sd, -)"
	printf 'export RSYNC_RSH=%q\n' "ssh -F $DIR/etc/ssh_config"
	printf 'case ":$PATH:" in *:%s:*) ;; *) export PATH="%s:$PATH" ;; esac\n' "$DIR/bin" "$DIR/bin"
}

cmd_status() {
	local w pid start rc=0
	load_options || { echo "no hosts in $DIR"; return 3; }
	for w in $(worker_names); do
		if ! alive "$w"; then
			echo "$w stopped"
			rc=3
		elif ssh -F "$DIR/etc/ssh_config" "$w" true 2>/dev/null; then
			read -r pid start <"$DIR/run/$w.pid"
			echo "$w running $pid 127.0.0.1:$(port_of "$w")"
		else
			echo "$w refuses logins"
			rc=3
		fi
	done
	return $rc
}

cmd_worker() { # stop|crash|start NAME
	load_options || die "no hosts in $DIR"
	[ $# = 2 ] && worker_names | grep -qxF -- "$2" || die "usage: $PROG worker stop|crash|start NAME, with NAME one of: $(worker_names | paste -sd' ' -)"
	case $1 in
	stop) stop_worker "$2" ;;
	crash) crash_worker "$2" ;;
	start) alive "$2" || start_worker "$2" ;;
	*) die "usage: $PROG worker stop|crash|start NAME" ;;
	esac
}

cmd=${1:-help}
[ $# = 0 ] || shift
args=()
while [ $# -gt 0 ]; do
	case $1 in --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;; esac
	case $1 in
	--workers | --port | --dir)
		[ $# -ge 2 ] || die "$1 needs a value"
		[ "$1" = --dir ] || GIVEN=1
		case $1 in
		--workers) WORKERS=$2 ;;
		--port) PORT=$2 ;;
		--dir) DIR=$2 ;;
		esac
		shift 2
		;;
	--purge) PURGE=1 && shift ;;
	--users) USERS=1 && shift ;;
	-h | --help) usage && exit 0 ;;
	-*) die "unknown option $1 (try $PROG help)" ;;
	*) args+=("$1") && shift ;;
	esac
done
case $DIR in /*) ;; *) DIR=$PWD/$DIR ;; esac
while [ "$DIR" != / ] && [ "${DIR%/}" != "$DIR" ]; do DIR=${DIR%/}; done
case $DIR in / | /tmp | /etc | /usr | /var | /home | /root | "${HOME:-/}") die "--dir must be a directory of its own, not $DIR" ;; esac

case $cmd in
up | down | worker)
	if [ "$cmd" = up ] || [ -d "$DIR" ]; then
		mkdir -p "$DIR" || die "cannot make $DIR"
		[ -O "$DIR" ] || die "$DIR belongs to another user"
		exec 9>"$DIR/lock"
		flock -w 120 9 || die "another $PROG works on $DIR"
	fi
	;;
esac
case $cmd in
up | down | env | status) [ ${#args[@]} = 0 ] || die "unexpected argument ${args[0]}" && "cmd_$cmd" ;;
worker) cmd_worker "${args[@]}" ;;
help | -h | --help) usage ;;
*) die "unknown command $cmd (try $PROG help)" ;;
esac
