#!/usr/bin/env bash
# A private, real Slurm cluster on one host, for tests: slurmctld, slurmdbd, some slurmd, munge and a MariaDB.
# It needs Debian's packages slurmctld, slurmd, slurmdbd, slurm-client, munge and mariadb-server-core, and no
# systemd. Any user may start one; with root's each node has a hostname of its own.
#
#   cluster up [--nodes N] [--cpus-per-node C] [--mem-per-node MB] [--gpus-per-node G]
#                [--port-base P] [--node-prefix N] [--dir D] [--keep] [--set Key=Value]... [--slurm PATH]
#                                        (--keep: with the jobs and the accounting of the last run;
#                                        --set: a line of slurm.conf; a second up starts what died;
#                                        control groups are named after nodes: another prefix than "n"
#                                        keeps two clusters with proctrack/cgroup apart;
#                                        --slurm: the programs of another release than the installed one: a
#                                        folder with bin, sbin and lib/slurm, or a tar archive of such a folder.
#                                        They use control groups of version 2, and memory is watched by polling)
#   cluster down [--dir D] [--purge]   stop everything (--purge: remove its files, logs too)
#   cluster env [--dir D]              print export lines, for: eval "$(cluster env)"
#   cluster status [--dir D]           exit 0 when every daemon runs and answers
#   cluster node stop|crash|start NODE [--dir D]   stop: end one node's slurmd, its steps go on;
#                                        crash: end its slurmd and steps at once; start: restart it
#   cluster check --slurm PATH         exit 0 when its programs run on this machine
#   cluster controller crash|start [--dir D]   end slurmctld at once; start it again with what it had saved
#
# Everything (configuration, sockets, keys, database, spool, logs, pid files) lives under D,
# default $TORC_CLUSTER_DIR or /tmp/torc-cluster. Two clusters need two directories and port bases.
set -euo pipefail
umask 022

PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"
export LC_ALL=C
unset ${!SLURM_@} ${!SBATCH_@} ${!SRUN_@} ${!SALLOC_@} ${!SACCT_@} ${!SQUEUE_@} ${!SINFO_@} 2>/dev/null || true

PROG=cluster
NODES=3
CPUS=4
MEM=4000
GPUS=2
PORT_BASE=17000
PREFIX=n
SET=
SLURM= # a path, or empty: the installed release
TREE=  # where its programs are
DIR=${TORC_CLUSTER_DIR:-/tmp/torc-cluster}
KEEP=0
PURGE=0
GIVEN=0
START_TIMEOUT=${TORC_CLUSTER_TIMEOUT:-60}

say() { printf '%s: %s\n' "$PROG" "$*" >&2; }
die() { say "error: $*"; exit 1; }
# A caller that has waited long enough reads what was being done.
trap 'die "ended by SIGTERM in ${FUNCNAME[*]:-the start} (lines ${BASH_LINENO[*]:-})"' TERM
usage() { sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"; }
now_ms() { local t=${EPOCHREALTIME/[^0-9]/}; echo $((t / 1000)); }

# ---- processes: a pid file holds "PID STARTTIME", so a reused pid is never taken for ours ----

# Sets started: the start time (clock ticks since boot) of a live, non-zombie process; fails when there is none.
# It starts no program and no subshell: with 500 processes and a busy machine, those would take minutes.
proc_start() {
	local stat=
	started=
	# To its end: a process may have a line break in its name.
	{ read -r -d '' stat <"/proc/$1/stat" || [ -n "$stat" ]; } 2>/dev/null || return 1
	set -- ${stat##*) }
	[ "$1" != Z ] && [ "$1" != X ] || return 1
	started=${20}
}

alive() { # NAME
	local pid start
	[ -r "$DIR/run/$1.pid" ] && read -r pid start <"$DIR/run/$1.pid" || return 1
	[ -n "${start:-}" ] && proc_start "$pid" && [ "$started" = "$start" ]
}

# spawn NAME HOSTNAME CMD...: a session of its own, in a UTS namespace named HOSTNAME ("-": none).
spawn() {
	local name=$1 host=$2 pid
	shift 2
	if [ "$host" != - ] && [ "$UTS" = 1 ]; then
		set -- unshare --uts sh -c 'echo "$0" >/proc/sys/kernel/hostname && exec "$@"' "$host" "$@"
	fi
	(
		# No inherited descriptor or variable: the daemon must not hold the caller's pipes or lock.
		for fd in /proc/self/fd/*; do
			fd=${fd##*/}
			if [ "$fd" -gt 2 ]; then eval "exec $fd>&-"; fi
		done
		cd "$DIR"
		exec setsid env -i PATH="$PATH" HOME="${HOME:-/}" LC_ALL=C ${TZ+TZ="$TZ"} SLURM_CONF="$DIR/etc/slurm.conf" "$@"
	) </dev/null >>"$DIR/log/$name.out" 2>&1 &
	pid=$!
	proc_start "$pid" || die "$name ended at once: $(last_log "$name")"
	echo "$pid $started" >"$DIR/run/$name.pid"
}

last_log() { # NAME: last lines of what it wrote, on one line
	tail -n 5 "$DIR/log/$1.out" 2>/dev/null | tr '\n' ';' || true
}

# wait_for NAME SECONDS CMD...: until CMD succeeds; NAME must stay alive.
wait_for() {
	local name=$1 end=$(($(now_ms) + $2 * 1000))
	shift 2
	until "$@" >/dev/null 2>&1; do
		alive "$name" || die "$name ended: $(last_log "$name")"
		[ "$(now_ms)" -lt "$end" ] || die "$name not ready in time ($*): $(last_log "$name")"
		sleep 0.05
	done
}

wait_gone() { # SECONDS PID:START...
	local end=$(($(now_ms) + $1 * 1000)) p
	local -a left=("${@:2}") still
	while :; do
		still=()
		for p in "${left[@]}"; do
			if proc_start "${p%:*}" && [ "$started" = "${p#*:}" ]; then still+=("$p"); fi
		done
		left=("${still[@]}")
		[ ${#left[@]} -gt 0 ] || return 0
		[ "$(now_ms)" -lt "$end" ] || return 1
		sleep 0.05
	done
}

stop_daemon() { # NAME SECONDS
	local pid start
	if alive "$1"; then
		read -r pid start <"$DIR/run/$1.pid"
		kill -TERM "$pid" 2>/dev/null || true
		if ! wait_gone "$2" "$pid:$start"; then
			say "$1 (pid $pid) ignored TERM for $2 s, sending KILL"
			kill -KILL "$pid" 2>/dev/null || true
			wait_gone 5 "$pid:$start" || die "cannot end $1 (pid $pid)"
		fi
	fi
	rm -f "$DIR/run/$1.pid"
}

# step_processes [NODE]: sets procs to this cluster's step daemons (a slurmstepd outlives its slurmd), known by the
# log file that they hold open, and all their descendants, as PID:START. It starts no program, as proc_start.
step_processes() {
	local node=${1:-} p pid stat fd log
	local -a logs=() next=()
	local -A start=() children=()
	procs=()
	if [ -n "$node" ]; then logs=("$DIR/log/slurmd-$node.log"); else logs=("$DIR"/log/slurmd-*.log); fi
	for p in /proc/[0-9]*; do
		pid=${p#/proc/}
		stat=
		{ read -r -d '' stat <"$p/stat" || [ -n "$stat" ]; } 2>/dev/null || continue
		set -- ${stat##*) }
		[ "$1" != Z ] || continue
		start[$pid]=${20}
		children[$2]+=" $pid"
		[[ $stat == *'(slurmstepd'* ]] || continue
		for fd in "$p"/fd/*; do
			for log in "${logs[@]}"; do
				[[ $fd -ef $log ]] && next+=("$pid") && break 2
			done
		done
	done
	while [ ${#next[@]} -gt 0 ]; do
		pid=${next[-1]}
		unset 'next[-1]'
		# A step daemon may be the child of another one.
		[ -n "${start[$pid]:-}" ] || continue
		procs+=("$pid:${start[$pid]}")
		unset 'start[$pid]'
		next+=(${children[$pid]:-})
	done
}

# How long the processes of steps may go on to start others while they are stopped.
STOP_SECONDS=30

kill_steps() { # [NODE]
	local before=none end=$(($(now_ms) + STOP_SECONDS * 1000))
	local -a procs
	step_processes "${1:-}"
	# All are stopped first, or a shell would go on with its next command once its child is gone. Those that one of them
	# started meanwhile are found by the next look: a job that begins while its node crashes must not survive it.
	while [ ${#procs[@]} -gt 0 ] && [ "${procs[*]}" != "$before" ]; do
		[ "$(now_ms)" -lt "$end" ] || die "after $STOP_SECONDS s, processes of steps still start others: before $before, now ${procs[*]}"
		before=${procs[*]}
		kill -STOP "${procs[@]%:*}" 2>/dev/null || true
		step_processes "${1:-}"
	done
	[ ${#procs[@]} -gt 0 ] || return 0
	# Children first: where a parent ends, a group of stopped processes is an orphan, and gets SIGHUP and SIGCONT.
	local -a killed=()
	local i
	for ((i = ${#procs[@]} - 1; i >= 0; i--)); do killed+=("${procs[i]%:*}"); done
	kill -KILL "${killed[@]}" 2>/dev/null || true
	wait_gone 5 "${procs[@]}" || die "step processes do not end: ${procs[*]}"
}

# ---- set-up ----

# Programs of another release come first in PATH.
use_slurm() {
	[ -n "$SLURM" ] || return 0
	TREE=$SLURM
	[ -d "$SLURM" ] || TREE=$DIR/slurm
	PATH=$TREE/bin:$TREE/sbin:$PATH
	hash -r
}

unpack_slurm() {
	local output program
	[ -n "$SLURM" ] || return 0
	if [ ! -d "$SLURM" ]; then
		[ -r "$SLURM" ] || die "--slurm: there is no $SLURM; expected a folder with bin, sbin and lib/slurm, or a tar archive of one"
		rm -rf "$TREE"
		mkdir -p "$TREE"
		tar -xf "$SLURM" -C "$TREE" --strip-components=1 --no-same-owner || die "--slurm: tar cannot unpack $SLURM"
	fi
	output=$("$TREE/sbin/slurmctld" -V 2>&1) || die "--slurm: slurmctld of $SLURM does not run here: $output"
	# Of plugins, which are loaded when they are needed, only the log of a daemon would say what they lack.
	for program in sbin/slurmd sbin/slurmdbd sbin/slurmstepd bin/srun lib/slurm/{accounting_storage_mysql,auth_munge,cgroup_v2}.so; do
		[ -r "$TREE/$program" ] || die "--slurm: $SLURM has no $program"
		! ldd "$TREE/$program" | grep -F 'not found' >&2 || die "--slurm: $program of $SLURM needs the libraries above"
	done
	say "$output of $SLURM"
}

need_packages() {
	local missing=() c
	declare -A pkg=([slurmctld]=slurmctld [slurmd]=slurmd [slurmdbd]=slurmdbd [sbatch]=slurm-client
		[munged]=munge [mariadbd]=mariadb-server-core
		[setsid]=util-linux [flock]=util-linux)
	if [ -n "$SLURM" ]; then unset 'pkg[slurmctld]' 'pkg[slurmd]' 'pkg[slurmdbd]' 'pkg[sbatch]'; fi
	for c in "${!pkg[@]}"; do command -v "$c" >/dev/null || missing+=("${pkg[$c]}"); done
	[ ${#missing[@]} -gt 0 ] || return 0
	mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort -u)
	die "not installed: ${missing[*]}"
}

node_names() { local i; for ((i = 1; i <= NODES; i++)); do echo "$PREFIX$i"; done; }

slice() { echo "torctests$PORT_BASE.slice"; }

# Where control groups of version 2 can be made. Beside those of version 1, in the layout that systemd calls hybrid, they have no
# controllers: processes are tracked by them, but limited they are not.
groups_v2() {
	local d
	for d in /sys/fs/cgroup /sys/fs/cgroup/unified; do
		if [ -e "$d/cgroup.controllers" ] && [ -w "$d/cgroup.procs" ]; then echo "$d" && return; fi
	done
	return 1
}

# Slurm leaves a process of its own in the scope of each node.
remove_slice() {
	local d i
	d=$(groups_v2)/$(slice) || return 0
	for ((i = 0; i < 50; i++)); do
		[ -d "$d" ] || return 0
		find "$d" -name cgroup.procs -exec cat {} + 2>/dev/null | xargs -r kill -KILL 2>/dev/null || true
		find "$d" -depth -type d -exec rmdir {} + 2>/dev/null || true
		[ ! -d "$d" ] || sleep 0.1
	done
	say "cannot remove $d"
}

write_conf() {
	local user host n i gres groups
	local task=task/cgroup,task/affinity gather=jobacct_gather/cgroup watch=NoShared
	user=$(id -un)
	host=localhost
	[ "$UTS" = 1 ] || host=$(cut -d. -f1 /proc/sys/kernel/hostname)
	mkdir -p "$DIR"/{etc,run,log,state,spool,dev}
	chmod 755 "$DIR" "$DIR"/{etc,run,log,spool,dev}
	if [ -n "$SLURM" ]; then
		groups=$(groups_v2) || die "--slurm: no control groups of version 2 can be made: neither /sys/fs/cgroup nor /sys/fs/cgroup/unified is a writable hierarchy of them"
		printf '%s\n' CgroupPlugin=cgroup/v2 "CgroupMountpoint=$groups" IgnoreSystemd=yes "CgroupSlice=$(slice)" >"$DIR/etc/cgroup.conf"
		task=task/affinity gather=jobacct_gather/linux watch=OverMemoryKill
	fi
	[ -s "$DIR/etc/munge.key" ] || head -c 1024 /dev/urandom >"$DIR/etc/munge.key"
	chmod 600 "$DIR/etc/munge.key"

	{
		cat <<-END
			ClusterName=dev
			SlurmctldHost=$host(127.0.0.1)
			SlurmctldPort=$((PORT_BASE + 100))
			SlurmUser=$user
			SlurmdUser=$user
			AuthType=auth/munge
			AuthInfo=socket=$DIR/run/munge.sock,cred_expire=20
			AccountingStoragePass=socket=$DIR/run/munge.sock
			CredType=cred/munge
			$([ "$host" != localhost ] || echo CommunicationParameters=NoCtldInAddrAny)
			StateSaveLocation=$DIR/state
			SlurmctldPidFile=$DIR/run/slurmctld.own-pid
			SlurmctldLogFile=$DIR/log/slurmctld.log
			SlurmdSpoolDir=$DIR/spool/%n
			SlurmdPidFile=$DIR/run/slurmd-%n.own-pid
			SlurmdLogFile=$DIR/log/slurmd-%n.log
			SlurmdParameters=config_overrides
			MpiDefault=none
			ProctrackType=proctrack/cgroup
			PrologFlags=Contain
			TaskPlugin=$task
			${SLURM:+PluginDir=$TREE/lib/slurm}
			PropagateResourceLimits=NONE
			SchedulerType=sched/backfill
			SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2,bf_resolution=10
			SelectType=select/cons_tres
			SelectTypeParameters=CR_CPU_Memory
			PreemptType=preempt/none
			PriorityType=priority/basic
			JobAcctGatherType=$gather
			JobAcctGatherFrequency=task=1
			JobAcctGatherParams=$watch
			AccountingStorageType=accounting_storage/slurmdbd
			AccountingStorageHost=127.0.0.1
			AccountingStoragePort=$((PORT_BASE + 101))
			AccountingStorageTRES=gres/gpu
			AccountingStorageEnforce=associations,limits,qos
			AccountingStoreFlags=job_comment,job_env,job_script
			JobCompType=jobcomp/none
			JobRequeue=1
			ReturnToService=2
			SlurmctldTimeout=30
			SlurmdTimeout=10
			KillWait=30
			MinJobAge=300
			InactiveLimit=0
			OverTimeLimit=0
			Waittime=0
			MessageTimeout=10
			MaxArraySize=1001
			DefMemPerCPU=$((MEM / CPUS))
		END
		gres=
		if [ "$GPUS" -gt 0 ]; then
			echo GresTypes=gpu
			gres="Gres=gpu:$GPUS "
		fi
		i=0
		for n in $(node_names); do
			i=$((i + 1))
			echo "NodeName=$n NodeHostname=$n NodeAddr=127.0.0.1 Port=$((PORT_BASE + i)) CPUs=$CPUS RealMemory=$MEM ${gres}CpuBind=none State=UNKNOWN"
		done
		cat <<-END
			PartitionName=debug Nodes=ALL Default=YES MaxTime=1-00:00:00 DefaultTime=60 State=UP
			PartitionName=short Nodes=ALL Default=NO MaxTime=2 DefaultTime=1 State=UP
		END
	} >"$DIR/etc/slurm.conf"
	local kv
	for kv in $SET; do
		sed -i "/^${kv%%=*}=/Id" "$DIR/etc/slurm.conf"
		echo "$kv" >>"$DIR/etc/slurm.conf"
	done
	: >"$DIR/etc/gres.conf"
	for ((i = 0; i < GPUS; i++)); do
		ln -sfn /dev/null "$DIR/dev/gpu$i"
		[ $i != 0 ] || echo AutoDetect=off >"$DIR/etc/gres.conf"
		echo "NodeName=$PREFIX[1-$NODES] Name=gpu File=$DIR/dev/gpu$i" >>"$DIR/etc/gres.conf"
	done
	[ -n "$SLURM" ] || echo CgroupAutomount=no >"$DIR/etc/cgroup.conf"
	# As nearly all sites have it. ConstrainCores stays off: nodes have more CPUs than this machine. Without task/cgroup, or where memory is
	# watched by polling, the kernel limits nothing.
	if grep -q '^TaskPlugin=.*task/cgroup' "$DIR/etc/slurm.conf" && ! grep -q OverMemoryKill "$DIR/etc/slurm.conf"; then
		echo ConstrainRAMSpace=yes >>"$DIR/etc/cgroup.conf"
	fi

	for n in $(node_names); do mkdir -p "$DIR/spool/$n"; done
	cat >"$DIR/etc/slurmdbd.conf" <<-END
		AuthType=auth/munge
		AuthInfo=socket=$DIR/run/munge.sock
		DbdHost=localhost
		DbdAddr=127.0.0.1
		DbdPort=$((PORT_BASE + 101))
		SlurmUser=$user
		LogFile=$DIR/log/slurmdbd.log
		PidFile=$DIR/run/slurmdbd.own-pid
		${SLURM:+PluginDir=$TREE/lib/slurm}
		StorageType=accounting_storage/mysql
		StorageHost=localhost
		StorageUser=$user
		StorageLoc=slurm_acct
	END
	chmod 600 "$DIR/etc/slurmdbd.conf"
}

start_munged() {
	spawn munge - munged --foreground --num-threads=4 --socket="$DIR/run/munge.sock" \
		--key-file="$DIR/etc/munge.key" --pid-file="$DIR/run/munge.own-pid" \
		--seed-file="$DIR/run/munge.seed" --log-file="$DIR/log/munge.log"
}

start_mariadb() {
	local user share=/usr/share/mysql f common
	user=$(id -un)
	common=(--no-defaults --user="$user" --datadir="$DIR/mysql" --innodb-log-file-size=16M
		--innodb-buffer-pool-size=64M --innodb-flush-log-at-trx-commit=0 --innodb-flush-method=nosync --skip-log-bin --performance-schema=OFF)
	if [ ! -e "$DIR/mysql/.made" ]; then
		# What mariadb-install-db does (it needs client programs that the server package lacks),
		# without the help tables, the sys schema and the test database.
		rm -rf "$DIR/mysql"
		mkdir -m 700 "$DIR/mysql"
		for f in system_tables performance_tables system_tables_data; do
			[ -r "$share/mysql_$f.sql" ] || die "no $share/mysql_$f.sql (package mariadb-server-core)"
		done
		{
			printf "create database mysql;\nuse mysql;\nset @auth_root_socket='%s';\n" "$user"
			sed '/@current_hostname/d' $share/mysql_{system_tables,performance_tables,system_tables_data}.sql
		} | mariadbd "${common[@]}" --bootstrap --log-warnings=0 --enforce-storage-engine="" \
			--max-allowed-packet=8M --net-buffer-length=16K >"$DIR/log/mariadb-bootstrap.out" 2>&1 9>&- ||
			die "cannot make the database: $(tail -n 5 "$DIR/log/mariadb-bootstrap.out")"
		touch "$DIR/mysql/.made"
	fi
	spawn mariadb - mariadbd "${common[@]}" --socket="$DIR/run/mariadb.sock" \
		--pid-file="$DIR/run/mariadb.own-pid" --skip-networking \
		--skip-name-resolve --innodb-lock-wait-timeout=900 --max-allowed-packet=16M
}

port_open() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
start_slurmdbd() { spawn slurmdbd - env MYSQL_UNIX_PORT="$DIR/run/mariadb.sock" MARIADB_UNIX_PORT="$DIR/run/mariadb.sock" slurmdbd -D; }
start_slurmctld() { spawn slurmctld localhost slurmctld -D -f "$DIR/etc/slurm.conf"; }
start_slurmd() { spawn "slurmd-$1" "$1" slurmd -D -N "$1" -f "$DIR/etc/slurm.conf" ${SLURM:+-d "$TREE/sbin/slurmstepd"}; }

daemons() { # in start order
	local n
	printf '%s\n' munge mariadb slurmdbd slurmctld
	for n in $(node_names); do echo "slurmd-$n"; done
}

save_options() { printf '%s=%s\n' NODES "$NODES" CPUS "$CPUS" MEM "$MEM" GPUS "$GPUS" PORT_BASE "$PORT_BASE" PREFIX "$PREFIX" SET "$SET" SLURM "$SLURM" >"$DIR/options"; }
load_options() {
	local k v
	[ -r "$DIR/options" ] || return 1
	while IFS='=' read -r k v; do
		case $k in NODES | CPUS | MEM | GPUS | PORT_BASE | PREFIX | SET | SLURM) printf -v "$k" %s "$v" ;; esac
	done <"$DIR/options"
	use_slurm
}

# As sites have it: who submits names an account, and QOS have limits. Everybody has QOS "normal"; with QOS "few", one job of a user runs at a time.
add_account() {
	local user answer
	user=$(id -un)
	answer=$(sacctmgr -n -P -Q -i 2>&1 <<-END
		add cluster dev
		add account any,my_project Cluster=dev Description=tests Organization=tests
		add qos few MaxJobsPerUser=1 MaxSubmitJobsPerUser=2
		modify qos normal set MaxWall=12:00:00
		add user $user Account=any,my_project DefaultAccount=any QOS=normal,few DefaultQOS=normal
		show assoc account=any user=$user format=Cluster,Account,User,QOS,DefaultQOS
	END
	) || true
	# sacctmgr ends with 1 also where only a part of its input had something to say.
	[[ $answer == *"dev|any|$user|few,normal|normal"* ]] || die "the accounting has no account: $answer"
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

nodes_ready() { [ "$(sinfo -h -N -p debug -o %T 2>/dev/null | grep -cE '^(idle|mixed|allocated|completing)$')" = "$NODES" ]; }

use_uts() {
	UTS=0
	if unshare --uts true 2>/dev/null; then UTS=1; fi
}

cmd_up() {
	local t0 t1 n want have fresh=1
	t0=$(now_ms)
	if any_alive; then
		fresh=0
		want=$(printf '%s ' "$NODES" "$CPUS" "$MEM" "$GPUS" "$PORT_BASE" "$PREFIX" "$SET" "$SLURM")
		load_options || die "daemons run in $DIR, but $DIR/options is gone; run '$PROG down' first"
		have=$(printf '%s ' "$NODES" "$CPUS" "$MEM" "$GPUS" "$PORT_BASE" "$PREFIX" "$SET" "$SLURM")
		[ "$GIVEN" = 0 ] || [ "$want" = "$have" ] ||
			die "a cluster with other options runs in $DIR (nodes cpus mem gpus port-base prefix set slurm: $have; asked: $want); run '$PROG down' first"
	elif [ "$KEEP" = 1 ] && [ "$GIVEN" = 0 ]; then
		load_options || true
	else
		use_slurm
	fi
	need_packages
	t1=$(now_ms)
	for n in NODES CPUS MEM PORT_BASE; do [[ ${!n} =~ ^[1-9][0-9]*$ ]] || die "$n must be a positive whole number, not '${!n}'"; done
	[[ $GPUS =~ ^[0-9]+$ ]] || die "GPUS must be a whole number, not '$GPUS'"
	[ "$NODES" -le 64 ] || die "at most 64 nodes"
	[[ $PREFIX =~ ^[a-z][a-z0-9]*[a-z]$|^[a-z]$ ]] || die "--node-prefix takes lower-case letters and digits, a letter at both ends, not '$PREFIX'"
	[ "$MEM" -ge "$CPUS" ] || die "--mem-per-node must be at least one MB for each CPU"
	[ "$PORT_BASE" -ge 1024 ] && [ "$PORT_BASE" -le 65000 ] || die "--port-base must be in 1024..65000"
	[ ${#DIR} -le 80 ] || die "the path $DIR is too long for a socket (at most 80 characters)"
	[[ $DIR =~ ^[A-Za-z0-9/._+-]+$ ]] || die "the path $DIR may hold only letters, digits and / . _ + -"
	use_uts
	export SLURM_CONF="$DIR/etc/slurm.conf"

	if [ $fresh = 1 ]; then
		if [ "$KEEP" = 0 ]; then rm -rf "$DIR"/{etc,state,spool,mysql,log,dev,options}; fi
		rm -rf "$DIR/run"
		for n in 100 101 $(seq 1 "$NODES"); do
			if port_open $((PORT_BASE + n)); then die "port $((PORT_BASE + n)) is taken; choose another --port-base"; fi
		done
		unpack_slurm
		write_conf
		save_options
		# A start that fails leaves nothing running; its logs stay.
		trap 'PURGE=0; trap - EXIT; cmd_down >/dev/null 2>&1 || true; say "start failed, stopped; logs: $DIR/log"' EXIT
	fi
	alive munge || start_munged
	alive mariadb || start_mariadb
	wait_for munge "$START_TIMEOUT" test -S "$DIR/run/munge.sock"
	wait_for mariadb "$START_TIMEOUT" test -S "$DIR/run/mariadb.sock"
	alive slurmdbd || start_slurmdbd
	wait_for slurmdbd "$START_TIMEOUT" port_open $((PORT_BASE + 101))
	if [ $fresh = 1 ] && [ "$KEEP" = 0 ]; then add_account; fi
	alive slurmctld || start_slurmctld
	wait_for slurmctld "$START_TIMEOUT" scontrol ping
	for n in $(node_names); do alive "slurmd-$n" || start_slurmd "$n"; done
	wait_for slurmctld "$START_TIMEOUT" nodes_ready
	trap - EXIT
	say "up: $NODES nodes of $CPUS CPUs, $MEM MB and $GPUS GPUs in $DIR (install $((t1 - t0)) ms, start $(($(now_ms) - t1)) ms)"
}

cmd_check() {
	[ -n "$SLURM" ] || die "usage: $PROG check --slurm PATH"
	use_slurm
	unpack_slurm
	rm -rf "$DIR"/{slurm,lock}
	rmdir "$DIR" 2>/dev/null || true
}

cmd_down() {
	local d j jobs
	if [ ! -d "$DIR" ]; then
		say "nothing in $DIR"
		return 0
	fi
	if load_options; then
		export SLURM_CONF="$DIR/etc/slurm.conf"
		if alive slurmctld && alive munge; then
			jobs=$(timeout 5 squeue -h -a -o %A 2>/dev/null | sort -u) || jobs=
			if [ -n "$jobs" ]; then
				timeout 10 scancel -f -s KILL $jobs >/dev/null 2>&1 || true
				timeout 10 scancel $jobs >/dev/null 2>&1 || true
				for j in $(seq 1 100); do
					[ -n "$(timeout 5 squeue -h -a -o %A 2>/dev/null)" ] || break
					sleep 0.1
				done
			fi
		fi
		# Step processes go once no slurmd can start more of them.
		for d in $(daemons | tac); do
			[ "$d" != slurmctld ] || kill_steps
			case $d in mariadb) stop_daemon "$d" 30 ;; *) stop_daemon "$d" 10 ;; esac
		done
	fi
	for d in $(node_names); do
		for group in /sys/fs/cgroup/*/"slurm_$d"; do
			if [ -d "$group" ]; then find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true; fi
		done
	done
	if [ -n "$SLURM" ]; then remove_slice; fi
	if [ "$PURGE" = 1 ]; then rm -rf "$DIR"/{etc,run,state,spool,mysql,log,dev,slurm,options,lock}; rmdir "$DIR" 2>/dev/null || true; fi
	say "down"
}

cmd_env() {
	load_options || die "no cluster in $DIR; run '$PROG up' first"
	printf 'export SLURM_CONF=%q\n' "$DIR/etc/slurm.conf"
	printf 'export TORC_CLUSTER_DIR=%q\n' "$DIR"
	if [ -n "$SLURM" ]; then printf 'export PATH=%q:%q:"$PATH"\n' "$TREE/bin" "$TREE/sbin" && return; fi
	local b
	b=$(dirname "$(command -v srun)")
	printf 'case ":$PATH:" in *:%s:*) ;; *) export PATH="$PATH:%s" ;; esac\n' "$b" "$b"
}

cmd_status() {
	local d pid start rc=0
	load_options || { echo "no cluster in $DIR"; return 3; }
	export SLURM_CONF="$DIR/etc/slurm.conf"
	for d in $(daemons); do
		if alive "$d"; then
			read -r pid start <"$DIR/run/$d.pid"
			echo "$d running $pid"
		else
			echo "$d stopped"
			rc=3
		fi
	done
	if alive slurmctld; then timeout 10 sinfo -N -o '%N %P %T %c %m %G' || rc=3; fi
	return $rc
}

# Without a pipe: where grep has found its line first, the writer of the others fails by SIGPIPE, and so the pipe does.
is_node() { # NAME
	local n
	for n in $(node_names); do [ "$n" != "$1" ] || return 0; done
	return 1
}

cmd_node() { # stop|start NODE
	load_options || die "no cluster in $DIR"
	[ $# = 2 ] && is_node "$2" || die "usage: $PROG node stop|crash|start NODE, with NODE one of: $(node_names | tr '\n' ' ')"
	export SLURM_CONF="$DIR/etc/slurm.conf"
	use_uts
	case $1 in
	stop) stop_daemon "slurmd-$2" 10 ;;
	crash)
		if alive "slurmd-$2"; then
			kill -KILL "$(cut -d' ' -f1 "$DIR/run/slurmd-$2.pid")"
			stop_daemon "slurmd-$2" 1
		fi
		kill_steps "$2"
		;;
	start) alive "slurmd-$2" || start_slurmd "$2" ;;
	*) die "usage: $PROG node stop|crash|start NODE" ;;
	esac
}

cmd_controller() { # crash|start
	load_options || die "no cluster in $DIR"
	use_uts
	case ${1:-} in
	crash)
		if alive slurmctld; then
			kill -KILL "$(cut -d' ' -f1 "$DIR/run/slurmctld.pid")"
			stop_daemon slurmctld 1
		fi
		;;
	start) alive slurmctld || start_slurmctld ;;
	*) die "usage: $PROG controller crash|start" ;;
	esac
}

cmd=${1:-help}
[ $# = 0 ] || shift
args=()
while [ $# -gt 0 ]; do
	case $1 in --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;; esac
	case $1 in
	--nodes | --cpus-per-node | --mem-per-node | --gpus-per-node | --port-base | --node-prefix | --dir | --set | --slurm)
		[ $# -ge 2 ] || die "$1 needs a value"
		[ "$1" = --dir ] || GIVEN=1
		case $1 in
		--nodes) NODES=$2 ;;
		--cpus-per-node) CPUS=$2 ;;
		--mem-per-node) MEM=$2 ;;
		--gpus-per-node) GPUS=$2 ;;
		--port-base) PORT_BASE=$2 ;;
		--node-prefix) PREFIX=$2 ;;
		--dir) DIR=$2 ;;
		--slurm) SLURM=$(realpath -m -- "$2") ;;
		--set)
			[[ $2 =~ ^[A-Za-z]+=[^[:space:]]+$ ]] || die "--set takes Key=Value, without spaces, not '$2'"
			SET="$SET${SET:+ }$2"
			;;
		esac
		shift 2
		;;
	--keep) KEEP=1 && shift ;;
	--purge) PURGE=1 && shift ;;
	-h | --help) usage && exit 0 ;;
	-*) die "unknown option $1 (try $PROG help)" ;;
	*) args+=("$1") && shift ;;
	esac
done
case $DIR in /*) ;; *) DIR=$PWD/$DIR ;; esac
while [ "$DIR" != / ] && [ "${DIR%/}" != "$DIR" ]; do DIR=${DIR%/}; done
case $DIR in / | /tmp | /etc | /usr | /var | /home | /root | "${HOME:-/}") die "--dir must be a directory of the cluster's own, not $DIR" ;; esac

case $cmd in
up | down | node | controller | check)
	if [ "$cmd" = up ] || [ "$cmd" = check ] || [ -d "$DIR" ]; then
		mkdir -p "$DIR" || die "cannot make $DIR"
		[ -O "$DIR" ] || die "$DIR belongs to another user"
		exec 9>"$DIR/lock"
		flock -w 120 9 || die "another $PROG works on $DIR"
	fi
	;;
esac
case $cmd in
up | down | env | status | check) [ ${#args[@]} = 0 ] || die "unexpected argument ${args[0]}" && "cmd_$cmd" ;;
node) cmd_node "${args[@]}" ;;
controller) cmd_controller "${args[@]}" ;;
help | -h | --help) usage ;;
*) die "unknown command $cmd (try $PROG help)" ;;
esac
