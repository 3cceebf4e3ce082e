# SPDX-License-Identifier: Apache-2.0
# The parts of gpu.sh, which sets work, out, log, binaries, commit, against, seconds, size and only. Each part is a process with a time
# limit, so that one that hangs costs its own figures alone, and OUT is whole after each.

# Drivers whose file for the loader is missing, as NVIDIA's is in a container: by their names.
drivers=(libnvidia-opencl.so.1 libamdocl64.so libigdrcl.so)

# quoted TEXT: as a string of JSON, in ASCII
quoted() {
  local text=${1//[^ -~]/?}
  text=${text//\\/\\\\}
  printf '"%s"' "${text//\"/\\\"}"
}

# limited SECONDS COMMAND…: its output goes to said and complained, its exit status to $status; 124 where it was ended. One that no
# signal ends, for it waits in the driver, is left behind.
limited() {
  local limit=$1 tenths=0
  shift
  timeout -k 2 "$limit" "$@" >"$work/said" 2>"$work/complained" </dev/null &
  job=$!
  while kill -0 "$job" 2>/dev/null && [ "$tenths" -lt $(((limit + 4) * 10)) ]; do
    sleep 0.1
    tenths=$((tenths + 1))
  done
  status=124
  kill -0 "$job" 2>/dev/null || { wait "$job"; status=$?; }
  [ "$status" -ne 137 ] || status=124 # it took the second signal
  job=
}

# The driver's file where the linker or the usual folders have it, else nothing.
driver_file() {
  local found
  found=$(ldconfig -p 2>/dev/null | awk -v name="$1" '$1 == name { print $NF; exit }')
  [ -n "$found" ] || found=$(timeout 20 find /usr /opt /lib /lib64 -name "$1" 2>/dev/null | head -n 1)
  [ -z "$found" ] || echo "$found"
}

find_device() {
  local driver
  limited 60 "$binaries/clquant" devices
  if [ "$status" -ne 0 ] && [ -z "${OCL_ICD_VENDORS-}" ]; then
    mkdir "$work/icd"
    for driver in "${drivers[@]}"; do
      driver_file "$driver" >"$work/icd/$driver.icd"
      [ -s "$work/icd/$driver.icd" ] || rm "$work/icd/$driver.icd"
    done
    export OCL_ICD_VENDORS=$work/icd/
    limited 60 "$binaries/clquant" devices
  fi
  [ "$status" -ne 124 ] || refuse "clquant devices did not end within 60 s"
  [ "$status" -eq 0 ] || refuse "no device: $(tail -n 1 "$work/complained")"
  cp "$work/said" "$work/devices"
  # type, name, driver and traits of the default, a line each
  mapfile -t device < <(awk '
    match($0, /^ +[0-9]+  [A-Za-z]+: /) { type = $2; name = substr($0, RLENGTH + 1); line = 0; sub(/:$/, "", type) }
    { line++ }
    line == 2 { driver = $0; sub(/.*, driver /, "", driver); sub(/, OpenCL C.*/, "", driver) }
    line == 3 { traits = $0; sub(/^ +/, "", traits) }
    /^      the default: / { print type; print name; print driver; print traits; exit }' "$work/said")
  [ -n "$size" ] || { [ "${device[0]}" = CPU ] && size=64 || size=1024; }
}

names=() kinds=() labels=() weights=()
# part NAME WEIGHT KIND LABELS: its share of the time is that of its weight, in seconds of an H100
part() { names+=("$1") weights+=("$2") kinds+=("$3") labels+=("$4"); }

# The rows of the bench by what they read, those first that GPUs have most to gain in; each row is in one part. The self-test is
# before all, for wrong bytes have no speed.
plan_parts() {
  local i benches
  part 'self-test' 75 selftest ''
  part 'quantize, float16' 28 bench '"quantize float16" -dynamic_quantize'
  part 'dynamic_quantize, float16' 36 bench '"dynamic_quantize float16"'
  part 'dequantize' 24 bench 'dequantize'
  part 'quantize_scatter' 20 bench 'quantize_scatter -dynamic_quantize_scatter'
  part 'dynamic_quantize_scatter' 26 bench 'dynamic_quantize_scatter'
  part 'find_scales' 12 bench 'find_scales'
  part 'move_rows' 12 bench 'move_rows'
  part 'quantize, float32' 28 bench '"quantize float32" -dynamic_quantize'
  part 'quantize, bfloat16' 20 bench '"quantize bfloat16" -dynamic_quantize'
  part 'dynamic_quantize, float32' 16 bench '"dynamic_quantize float32"'
  part 'dynamic_quantize, bfloat16' 16 bench '"dynamic_quantize bfloat16"'
  benches=${#names[@]}
  [ ! -x "$binaries/host_cost" ] || part 'host cost' 25 calls '' # not in a folder that an older tree packed
  for ((i = 1; i < benches && ${#against} > 0; i++)); do
    part "race: ${names[i]}" "${weights[i]}" race "${labels[i]}"
  done
}

# begin_part LIMIT KIND LABELS: the tools begin nothing new a while before they are ended.
begin_part() {
  local limit=$1 begins=$(($1 * 3 / 4)) wanted="$3 $only"
  [ "$begins" -gt 0 ] || begins=1
  case $2 in
    selftest) limited "$limit" "$binaries/clquant" selftest --seconds "$begins" ${only:+--only "$only"} ;;
    bench) limited "$limit" "$binaries/clquant" bench --size "$size" --seconds "$begins" --only "$wanted" --json "$work/bench.json" ;;
    calls) limited "$limit" "$binaries/host_cost" ${only:+--only "$only"} --json "$work/bench.json" ;;
    race) LAB=$binaries/lab limited "$limit" bash "$here/race.sh" "$against" "$binaries" --size "$size" --only "$wanted" ;;
  esac
}

in_json='function quoted(text) { gsub(/[^ -~]/, "?", text); gsub(/[\\"]/, "\\\\&", text); return "\"" text "\"" }'

selftest_json() {
  awk "$in_json"'
    /^pass  / { passed++ }
    /^FAIL  / { failed++; failures = failures (failed > 1 ? ", " : "") quoted(substr($0, 7)) }
    /^seed [0-9]+$/ { seed = $2 }
    /^[0-9]+ lines, [0-9]+ comparisons, / { comparisons = $3; if (match($0, /; [0-9]+ lines not run/)) not_run = substr($0, RSTART + 2) + 0 }
    END {
      printf "\"selftest\": {\"seed\": %s, \"lines\": %d, \"failed\": %d, \"not_run\": %d", seed == "" ? "null" : seed, passed + failed, failed, not_run
      if (comparisons != "") printf ", \"comparisons\": %s", comparisons
      printf ", \"failures\": [%s]}", failures
    }' "$work/said"
}

# A line a row. One that was ended or failed has the rows before.
bench_json() {
  if [ -s "$work/bench.json" ]; then
    printf '"bench": '
    tr -d '\n\t' <"$work/bench.json" | sed -e 's/, {"operator":/,\n  {"operator":/g' -e 's/\[{"operator":/[\n  {"operator":/'
  fi
}

race_json() {
  awk "$in_json"'
    /^(same|faster|slower|unsure) +[0-9]/ {
      row = $7
      for (i = 8; i <= NF; i++) row = row " " $i
      rows = rows (rows == "" ? "" : ",") sprintf("\n  {\"row\": %s, \"is\": %s, \"ratio\": %s, \"low\": %s, \"high\": %s, \"a_ms\": %s, \"b_ms\": %s}",
        quoted(row), quoted($1), $2, $3, $4, $5, $6)
    }
    END { printf "\"race\": [%s]", rows }' "$work/said"
}

# How the last part ended, in a word or three. A bench that is out of time has rows that it did not begin, and says how many.
ending() {
  case $status in
    0) grep -q ' not run: [0-9]* seconds were over$' "$work/said" && echo 'out of time' || echo 'done' ;;
    124) echo 'cut off' ;;
    2) grep -q ': no \(row\|line\) has it$' "$work/complained" && echo 'no such row' || echo failed ;;
    *) echo failed ;;
  esac
}

# add_part NAME LIMIT SECONDS END JSON
add_part() {
  local text
  text="{\"part\": $(quoted "$1"), \"limit_s\": $2, \"seconds\": $3, \"end\": $(quoted "$4")"
  [ "$4" != failed ] || text+=", \"said\": $(quoted "$(tail -n 1 "$work/complained")")"
  parts+=("$text${5:+, $5}}")
  write_out
}

write_out() {
  {
    printf '{"date": "%s", "commit": %s, "binaries": %s,\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$(quoted "$commit")" "$(quoted "$binaries")"
    printf ' "device": {"name": %s, "driver": %s, "type": %s, "traits": %s},\n' "$(quoted "${device[1]}")" "$(quoted "${device[2]}")" \
      "$(quoted "${device[0]}")" "$(quoted "${device[3]}")"
    printf ' "size_mib": %d, "limit_s": %d, "seconds": %d,' "$size" "$seconds" "$SECONDS"
    [ -z "$against" ] || printf ' "against": %s,' "$(quoted "$against")"
    [ -z "$only" ] || printf ' "only": %s,' "$(quoted "$only")"
    printf ' "parts": ['
    printf '\n %s' "${parts[0]}"
    [ "${#parts[@]}" -lt 2 ] || printf ',\n %s' "${parts[@]:1}"
    printf '\n]}\n'
  } >"$out.part" && mv -f "$out.part" "$out" || { echo "gpu.sh: '$out' could not be written" >&2; exit 1; }
}

# run_parts: a part has what is left of the time by its weight, so that what one leaves the next ones have.
run_parts() {
  local i limit began end left weight=0
  parts=() incomplete=()
  cat "$work/devices" >>"$log"
  for i in "${weights[@]}"; do weight=$((weight + i)); done
  for i in "${!names[@]}"; do
    left=$((seconds - SECONDS - 3)) began=$SECONDS
    limit=$((left * weights[i] / weight)) weight=$((weight - weights[i]))
    rm -f "$work/bench.json"
    if [ "$left" -lt 2 ]; then
      incomplete+=("${names[i]}")
      add_part "${names[i]}" 0 0 'not begun' ''
      continue
    fi
    [ "$limit" -gt 0 ] || limit=1
    begin_part "$limit" "${kinds[i]}" "${labels[i]}"
    end=$(ending)
    printf '\n== %s: %s, %d s of %d\n' "${names[i]}" "$end" $((SECONDS - began)) "$limit" | tee -a "$log"
    cat "$work/said" "$work/complained" >>"$log"
    case ${kinds[i]}:$end in *:failed | *:'cut off' | bench:'out of time') incomplete+=("${names[i]}") ;; esac
    add_part "${names[i]}" "$limit" $((SECONDS - began)) "$end" "$([ "$end" = 'no such row' ] || "${kinds[i]/calls/bench}_json")"
  done
}

end_parts() {
  local text
  echo "gpu.sh: $out has ${device[1]}, ${#parts[@]} parts in $SECONDS s"
  [ "${#incomplete[@]}" -gt 0 ] || exit 0
  printf -v text '; %s' "${incomplete[@]}"
  echo "gpu.sh: not whole: ${text:2}" >&2
  exit 1
}
