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
./build.sh soak | crash     the tests with the trait Category=Soak or Category=Crash
./build.sh pack             packages into artifacts/packages
./build.sh bench            all BenchmarkDotNet classes, results in benchmarks/results
./build.sh bench quick      the paired subset, under a minute
./build.sh bench NAME       the benchmarks whose name contains NAME; options starting with - go to the program as they are
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

bench() {
  local arguments=("$@")
  case ${1-} in
    '') arguments=(--filter '*') ;;
    quick | -*) ;;
    *) arguments=(--filter "*$1*" "${@:2}") ;;
  esac
  step "bench ${arguments[*]}"
  dotnet run -c $configuration --project benchmarks/HybridCaching.Benchmarks -- "${arguments[@]}" || fail "benchmarks failed"
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
  soak) run_category Soak ;;
  crash) run_category Crash ;;
  pack) step "pack"; dotnet pack $solution -c $configuration -o artifacts/packages || fail "pack failed" ;;
  bench) bench "$@" ;;
  help | --help | -h) usage ;;
  *) usage >&2; fail "unknown command: $command" ;;
esac
