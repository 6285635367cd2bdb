#!/usr/bin/env bash
# Builds and checks HybridCaching. CI runs the same steps through .ci/run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

solution=HybridCache.sln
configuration=Release
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1

usage() {
  cat <<'TEXT'
./build.sh                  restore, build (warnings are errors), check the format, test
./build.sh build            restore and build
./build.sh check            fail where the format is not that of .editorconfig
./build.sh format           apply the format
./build.sh test [ARGS]      all tests; ARGS go to dotnet test
./build.sh soak             the tests with the trait Category=Soak (a minute each, or HYBRIDCACHING_SOAK_SECONDS), then the next
./build.sh soak day         a busy day of both caches, twenty million operations each (or HYBRIDCACHING_SOAK_OPERATIONS), the disk written fifty times: half an hour; writes benchmarks/results/soak.md
./build.sh crash            kill -9 at random and at named points (25 times, or HYBRIDCACHING_CRASH_KILLS; HYBRIDCACHING_CRASH_SEED), damaged files, power loss, races for a folder, recorded histories: a minute, also in ./build.sh test
./build.sh crash --long     the same with 500 kills, every point ten times, ten million operations: an hour; writes benchmarks/results/crash.md
./build.sh pack             packages into artifacts/packages
./build.sh bench            adds, queries and the usual part of the matrix (BenchmarkDotNet), then bench throughput, about 45 minutes, an hour where memory answers late; goes on where it was ended, --fresh begins anew; results in benchmarks/results
./build.sh bench quick      the same as bench targets, but everything once, without the storm, and only printed: a minute, half as much again where memory answers late
./build.sh bench targets    adds, queries and overwrites in pairs, each beside its target, four minutes; writes the README's table
./build.sh bench bytes      the targets of the cache of bytes in pairs, four minutes; one beside redis-server, installed if missing and allowed
./build.sh bench disk       cold gets past the page cache beside fio on the same disk, and data ten times as large as memory beside a raw store, eight minutes; fio is installed if missing and allowed
./build.sh bench meter      what being watched costs: hot reads with a meter attached and without
./build.sh bench checkpoint what a get takes while the cache is written out, beside what it takes otherwise, five minutes
./build.sh bench restart    what is found, and how soon, after kill -9, half a minute
./build.sh bench webapp     a million session values set over HTTP, and all of them read back
./build.sh bench hitrate    hit ratios of request traces, six to sixteen minutes; traces from ../shared/traces or, if there are none, generated ones; options go to the program
./build.sh bench throughput YCSB's workloads with data larger than memory, beside ConcurrentDictionary, MemoryCache, FasterKV, RocksDB, LevelDB, SQLite and LMDB (those that use the page cache need Linux 6.5 to hold them to their memory), twenty-five minutes; goes on where it was interrupted; libraries are installed if missing and allowed; --full and other options go to the program
./build.sh bench scale      costs per operation and per entry, restarts and GC pauses with 1 and 10 million entries; --millions 100 for more
./build.sh bench sample     the sample's cold and warm runs, and what a small budget or 1,000 callers meet
./build.sh bench NAME       the benchmarks whose name contains NAME, Benchmarks for all; options starting with - go to the program as they are, such as --ratios 10,50 --threads 1,6 or --matrix full
./build.sh bench page       docs/benchmarks.md, its plots and the README's cells, made of what is in benchmarks/results; all others end with it
./build.sh help             this text
TEXT
}

step() { printf '\n==> %s\n' "$*"; }
fail() { printf 'build.sh: %s\n' "$*" >&2; exit 1; }

require_sdk() {
  command -v dotnet >/dev/null || fail "dotnet is missing: install the .NET SDK 10 and put it on the PATH"
  dotnet --list-sdks | grep -q '^10\.' || fail "this needs the .NET SDK 10, found: $(dotnet --list-sdks | cut -d' ' -f1 | paste -sd' ' -); install the .NET SDK 10"
}

build() {
  step "restore"; dotnet restore $solution || fail "restore failed"
  step "build ($configuration, warnings are errors)"; dotnet build $solution -c $configuration --no-restore || fail "build failed"
}

check() { step "format"; dotnet format $solution --verify-no-changes --no-restore || fail "the format differs from .editorconfig: run ./build.sh format"; }

run_tests() { step "test"; dotnet test $solution -c $configuration "$@" || fail "tests failed"; }

# The runner exits with 0 both when all tests of a category pass and when there are none.
run_category() {
  local category=$1 log
  log=$(mktemp)
  trap 'rm -f "$log"' RETURN
  step "tests with the trait Category=$category"
  dotnet test $solution -c $configuration --filter "Category=$category" 2>&1 | tee "$log" || fail "$category tests failed"
  grep -qE '(Passed|Skipped)! ' "$log" || printf '\nNo test has the trait Category=%s: nothing was run.\n' "$category"
}

# What made a page: its first lines, as the programs write them.
provenance() {
  local processor runtime changes=''
  processor=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -1)
  runtime=$(dotnet --list-runtimes | sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\).*/\1/p' | tail -1)
  git diff --quiet HEAD -- src tests samples benchmarks ':!benchmarks/results' || changes=+changes
  printf -- '- Machine: %s, %s cores, %s, .NET %s\n- Commit: %s%s\n- Date: %s' "${processor:-$(uname -m)}" "$(nproc)" "$(uname -sr | cut -d. -f1,2)" "$runtime" "$(git rev-parse --short HEAD)" "$changes" "$(date -u +%F)"
}

# By itself, so that nothing else takes its time; the tests leave a section of the page and a table of samples each.
soak_day() {
  local page=benchmarks/results/soak.md project=tests/HybridCaching.SoakTests report name status=0
  require_tool gnuplot gnuplot-nox 'the plot is'
  report=$(mktemp -d)
  step "soak day"
  HYBRIDCACHING_SOAK_OPERATIONS=${HYBRIDCACHING_SOAK_OPERATIONS-20000000} HYBRIDCACHING_SOAK_REPORT=$report dotnet test $project -c $configuration --filter Category=Soak || status=$?
  for name in bytes typed; do [[ -s $report/$name.md ]] || fail "the soak test of $name has left no figures"; done
  {
    printf '# A busy day of both caches\n\n%s\n- Made by `./build.sh soak day`; what is done: [soak-tests.md](../../docs/soak-tests.md)\n\n' \
      "$(provenance)"
    if command -v gnuplot >/dev/null && plot_soak "$report" benchmarks/results/soak.svg; then printf '![memory, disk and open files over time](soak.svg)\n\n'; fi
    cat "$report/bytes.md" "$report/typed.md"
  } >$page
  sed -i -e '$ { /^$/ d }' $page
  rm -rf "$report"
  bench_page
  [[ $status -eq 0 ]] || fail "the soak tests failed; their figures are in $page"
}

# A row for each cache: memory on the left, disk in the middle, open files on the right, over minutes.
plot_soak() {
  gnuplot <<TEXT
set terminal svg size 1200,560 font 'sans-serif,12' background '#ffffff'
set output '$2'
set multiplot layout 2,3
set border 3 lc rgb '#666666'
set tics nomirror
set grid ytics lt 1 lw 0.5 lc rgb '#dddddd'
set xlabel 'minutes'
set yrange [0:*]
set key bottom right
do for [name in 'bytes typed'] {
  file = '$1/' . name . '.tsv'
  set title name . ': memory, MiB'
  plot file using 1:2 with lines lc rgb '#0072B2' title 'process, beyond before', file using 1:3 with lines lc rgb '#D55E00' title 'cache'
  set title name . ': disk, MiB'
  plot file using 1:4 with lines lc rgb '#0072B2' notitle
  set title name . ': open files'
  plot file using 1:5 with lines lc rgb '#0072B2' notitle
}
unset multiplot
TEXT
}

soak() {
  [[ -z ${1-} || $1 == day ]] || fail "unknown option of soak: $1"
  if [[ -z ${1-} ]]; then
    export HYBRIDCACHING_SOAK_SECONDS=${HYBRIDCACHING_SOAK_SECONDS-60} HYBRIDCACHING_SOAK_SETS=${HYBRIDCACHING_SOAK_SETS-1000000}
    HYBRIDCACHING_SOAK_OPERATIONS='' run_category Soak
  fi
  soak_day
}

# What is long is said by the environment; the tests leave the figures in a file.
crash() {
  local page=benchmarks/results/crash.md report
  [[ -z ${1-} || $1 == --long ]] || fail "unknown option of crash: $1"
  report=$(mktemp)
  export HYBRIDCACHING_CRASH_SEED=${HYBRIDCACHING_CRASH_SEED-$RANDOM} HYBRIDCACHING_CRASH_REPORT=$report
  if [[ ${1-} == --long ]]; then export HYBRIDCACHING_CRASH_LONG=1 HYBRIDCACHING_CRASH_KILLS=${HYBRIDCACHING_CRASH_KILLS-500}; fi
  step "crash ${1-} (seed $HYBRIDCACHING_CRASH_SEED)"
  dotnet test tests/HybridCaching.CrashTests -c $configuration || fail "crash tests failed (seed $HYBRIDCACHING_CRASH_SEED)"
  if [[ ${1-} == --long ]]; then
    {
      printf '# Kills, damaged files and histories\n\n%s\n- Made by `./build.sh crash --long`, seed %s; what is done and judged: [crash-tests.md](../../docs/crash-tests.md)\n\n' \
        "$(provenance)" "$HYBRIDCACHING_CRASH_SEED"
      printf '| what | what came out |\n|---|---|\n'
      sort "$report"
    } >$page
    bench_page
  fi
  cat "$report"
  rm -f "$report"
}

# Five pairs of runs with the files in the page cache; as root one more with an empty one, as on a first day.
bench_sample() {
  local project=samples/DirectoryDigest page=benchmarks/results/sample.md work run refusal stampede
  work=$(mktemp -d)
  dotnet build -c $configuration $project -v q >/dev/null || fail "build failed"
  run() { dotnet run -c $configuration --no-build --project $project -- --cache "$work/cache" "$@" 2>&1; }
  pair() {
    rm -rf "$work/cache"
    run >"$work/cold" || fail "the sample failed: $(tail -1 "$work/cold")"
    run >"$work/warm" || fail "the sample failed: $(tail -1 "$work/warm")"
    printf '| %s | %s | %s | %s | %s |\n' "$1" "$(cell time cold)" "$(cell time warm)" "$(grep -o 'ratio [0-9.]*' "$work/warm" | cut -d' ' -f2)" "$(cell 'warm digests recomputed, differing' warm)"
  }
  cell() { grep "│ $1 " "$work/$2" | awk -F'│' '{ print $3 }' | xargs; }
  refusal=$(run --memory 1B | grep -o 'the smallest MemoryBudget is [^)]*)' || true)
  stampede=$(dotnet test $solution -c $configuration --filter FullyQualifiedName~StampedeTests 2>&1 | grep -oE '(Passed|Failed)! .*Total: *[0-9]+' || true)
  step "bench sample"
  {
    printf '# The sample, and the limits that tests hold\n\n%s\n- Made by `./build.sh bench sample`\n\n' \
      "$(provenance)"
    printf '| files | first run | second run | ratio | digests compared, differing |\n|---|---:|---:|---:|---:|\n'
    if [[ -w /proc/sys/vm/drop_caches ]]; then sync; echo 3 >/proc/sys/vm/drop_caches; pair 'not in the page cache'; fi
    for ((i = 0; i < 5; i++)); do pair 'in the page cache'; done
    printf '\n- Of the sample: %s\n- 1,000 callers of one missing key, one factory call (`StampedeTests`): %s\n' "$refusal" "$stampede"
  } | tee $page
  rm -rf "$work"
}

# The soak test of the sample WebApp as a page: real Kestrel, HTTP over the loopback, sessions in the cache.
bench_webapp() {
  local page=benchmarks/results/webapp.md log
  log=$(mktemp)
  step "bench webapp"
  HYBRIDCACHING_SOAK_SETS=1000000 dotnet test tests/HybridCaching.WebTests -c $configuration --filter "FullyQualifiedName~SessionLoadTests&Category=Soak" 2>&1 | tee "$log" || fail "the soak test failed"
  {
    printf '# Session values set through the sample WebApp\n\n%s\n- Made by `./build.sh bench webapp`\n' \
      "$(provenance)"
    printf -- '- HTTP on the loopback to real Kestrel, client and server on the same cores; MemoryBudget 16MB, DiskBudget 128MB; read back at the end, and once more after a restart of the host\n\n'
    grep -oE '[0-9,]+ (sets, [0-9,]+ errors, .*|sessions read back, .*)' "$log" | sed 's/^/- /'
  } | tee $page
  rm -f "$log"
}

# A program from a package of Debian: program, package, what is left out without it.
require_tool() {
  command -v "$1" >/dev/null && return
  if [[ $EUID -eq 0 ]] && command -v apt-get >/dev/null; then
    step "install $2"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$2" >/dev/null || { apt-get update -q >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$2" >/dev/null; } || true
  fi
  command -v "$1" >/dev/null || echo "$1 is missing and cannot be installed from here: $3 left out"
}

bench_hitrate() {
  require_tool gnuplot gnuplot-nox 'the plot is'
  step "bench hitrate $*"
  dotnet run -c $configuration --project benchmarks/HybridCaching.HitRate -- "$@" || fail "bench hitrate failed"
}

# What is made of all results.
bench_page() {
  require_tool gnuplot gnuplot-nox 'the plots are'
  dotnet run -c $configuration --project benchmarks/HybridCaching.Benchmarks -- page || fail "bench page failed"
}

# A C library from a package of Debian: file, package. The program says what is left out without it.
require_library() {
  ldconfig -p 2>/dev/null | grep -qF "$1" && return
  if [[ $EUID -eq 0 ]] && command -v apt-get >/dev/null; then
    step "install $2"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$2" >/dev/null || { apt-get update -q >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$2" >/dev/null; } || true
  fi
}

bench_throughput() {
  require_library librocksdb.so.7.8 librocksdb7.8
  require_library libleveldb.so.1d libleveldb1d
  require_library liblmdb.so.0 liblmdb0
  require_library libsqlite3.so.0 libsqlite3-0
  require_tool gnuplot gnuplot-nox 'the plot is'
  step "bench throughput $*"
  dotnet run -c $configuration --project benchmarks/HybridCaching.Throughput -- "$@" || fail "bench throughput failed"
}

bench() {
  if [[ ${1-} == sample ]]; then bench_sample; return; fi
  if [[ ${1-} == webapp ]]; then bench_webapp; return; fi
  if [[ ${1-} == hitrate ]]; then bench_hitrate "${@:2}"; return; fi
  if [[ ${1-} == throughput ]]; then bench_throughput "${@:2}"; return; fi
  if [[ ${1-} == scale ]]; then bench_throughput "$@"; return; fi
  if [[ -z $* || $* == --fresh ]]; then bench_all "$@"; else bench_program "$@"; fi
}

# What fails, of the suites or of the stores, keeps nobody from the rest, and from a page of what there is.
bench_all() {
  local failed=''
  (bench_program "$@") || failed=yes
  (bench_throughput "$@") || failed=yes
  [[ -z $failed ]] || { bench_page; fail "some benchmarks failed, see above"; }
}

bench_program() {
  local arguments=("$@")
  case ${1-} in
    bytes) require_tool redis-server redis-server 'what compares with Redis is' ;;
    disk) require_tool fio fio 'this comparison is' ;;
    '' | quick | targets | meter | restart | checkpoint | page | -*) ;;
    *) arguments=(--filter "*$1*" "${@:2}") ;;
  esac
  step "bench ${arguments[*]-}"
  dotnet run -c $configuration --project benchmarks/HybridCaching.Benchmarks -- ${arguments[@]+"${arguments[@]}"} || fail "benchmarks failed"
}

command=${1-all}
shift || true
[[ $command == help || $command == --help || $command == -h ]] || require_sdk
case $command in
  all) build; check; run_tests --no-build; step "all good" ;;
  build) build ;;
  check) check ;;
  format) step "format"; dotnet format $solution ;;
  test) run_tests "$@" ;;
  soak) soak "$@" ;;
  crash) crash "$@" ;;
  pack) step "pack"; dotnet pack $solution -c $configuration -o artifacts/packages || fail "pack failed" ;;
  bench) bench "$@"; [[ ${1-} == quick ]] || bench_page ;;
  help | --help | -h) usage ;;
  *) usage >&2; fail "unknown command: $command" ;;
esac
