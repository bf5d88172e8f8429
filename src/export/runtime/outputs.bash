# Reads values for the outputs of a step. The path of a secret ends in null: its value is a text, number or boolean.
IFS= read -r -d '' wf_reader <<'PYTHON'
import json, re, sys

def fail(problem):
    sys.exit(problem)

def not_json(_):
    raise ValueError

data = open(sys.argv[1], 'rb').read()
try:
    text = data.decode('utf-8')
except UnicodeDecodeError:
    fail('standard output is not UTF-8')
TOKEN = re.compile(r'[ \t\n\r]*("(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+)')
paths = [path if path == 'text' else json.loads(path) for path in sys.argv[2:]]
tokens, closed = [], {}
if any(path != 'text' for path in paths):
    body = text[1:] if text.startswith('\ufeff') else text
    try:
        sys.setrecursionlimit(100000)
        json.loads(body, parse_constant=not_json, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        fail('standard output is not one JSON text')
    tokens = TOKEN.findall(body)
    opened = []
    for index, token in enumerate(tokens):
        if token in ('[', '{'):
            opened.append(index)
        elif token in (']', '}'):
            closed[opened.pop()] = index

def children(start):
    found, index = [], start + 1
    while index < closed[start]:
        key = None
        if tokens[start] == '{':
            key, index = json.loads(tokens[index]), index + 2
        found.append((key, index))
        index = closed.get(index, index) + 2
    return found

def pick(path):
    value = 0
    for segment in path:
        if segment is None:
            if tokens[value] in ('{', '['):
                fail('a value is no text, number or boolean')
            continue
        if tokens[value] == '{' and isinstance(segment, str):
            values = [found for key, found in children(value) if key == segment]
        elif tokens[value] == '[' and isinstance(segment, int):
            values = [found for _, found in children(value)]
            values = values[segment:][:1] if segment >= -len(values) else []
        else:
            values = []
        if not values:
            fail('a value is missing')
        value = values[-1]
    if tokens[value] == 'null':
        fail('a value is null')
    if not tokens[value].startswith('"'):
        return ''.join(tokens[value:closed.get(value, value) + 1])
    return json.loads(tokens[value])

def whole():
    return re.sub(r'(\r?\n)+\Z', '', text)

for path in paths:
    value = whole() if path == 'text' else pick(path)
    if '\0' in value:
        fail('a value holds a NUL character')
    try:
        sys.stdout.buffer.write(value.encode('utf-8') + b'\0')
    except UnicodeEncodeError:
        fail('a value holds half of a surrogate pair')
PYTHON

# The equivalent for jq, except for text outputs.
wf_jq_reader='
  if length != 1 then error("standard output is not one JSON text") else .[0] end
  | . as $document
  | $paths[]
  | . as $path
  | $document
  | getpath($path | map(values))
  | if $path[-1:] == [null] and (type | . == "object" or . == "array") then error("not a scalar") else . end
  | if . == null then error("a value is missing or null") else . end
  | if type == "string" then . else tojson end
  | if index("\u0000") then error("a value holds a NUL character") else . + "\u0000" end
'

# Finds the program that reads values. Argument: what it is needed for.
wf_find_reader() {
  local wf_version
  wf_python=$(type -P python3) && "$wf_python" -IS -c '' 2>/dev/null && return
  wf_python=''
  wf_jq=$(type -P jq) || wf_cannot_start "neither python3 nor jq 1.7 was found in PATH; $1"
  wf_version=$("$wf_jq" --version)
  [[ $wf_version =~ ^jq-(1\.([7-9]|[1-9][0-9])|[2-9]) ]] ||
    wf_cannot_start "python3 was not found in PATH, and jq is older than 1.7; $1"
}

# Copies the standard output of the next command, which writes to wf_pipe, to a file.
wf_capture() {
  wf_stdout=$wf_memory/stdout.$BASHPID
  exec {wf_pipe}> >(
    trap '' INT TERM HUP
    wf_close_own
    exec tee -- "$wf_stdout" >&2
  )
  wf_tee=$!
  wf_helpers+="$wf_tee "
}

wf_end_capture() {
  exec {wf_pipe}>&-
  wf_pipe=''
  wf_await_exit "$wf_tee"
}

# Sets the variables of a step's outputs. On failure, sets wf_problem to the reason.
wf_read_outputs() {
  local wf_output
  local -a wf_values=()
  wf_problem='standard output has more than 16 MiB'
  (($(wc -c <"$wf_stdout") <= 16777216)) || return 1
  wf_read_values >"$wf_stdout.values" 2>"$wf_stdout.problem" || {
    wf_problem=$(<"$wf_stdout.problem")
    return 1
  }
  mapfile -d '' -t wf_values <"$wf_stdout.values"
  for wf_output in "${!wf_outputs[@]}"; do
    printf -v "${wf_outputs[wf_output]%%=*}" %s "${wf_values[wf_output]}"
  done
}

# Prints the values of wf_outputs in the file wf_stdout, each with a NUL at its end.
wf_read_values() {
  if [[ -n $wf_python ]]; then
    "$wf_python" -IS -c "$wf_reader" "$wf_stdout" "${wf_outputs[@]#*=}"
  else
    wf_read_with_jq
  fi
}

wf_read_with_jq() {
  local wf_output wf_text
  for wf_output in "${wf_outputs[@]#*=}"; do
    if [[ $wf_output != text ]]; then
      "$wf_jq" -sj --argjson paths "[$wf_output]" "$wf_jq_reader" "$wf_stdout" || return
      continue
    fi
    if [[ $("$wf_jq" -Rsj . "$wf_stdout" | cksum) != "$(cksum <"$wf_stdout")" ]]; then
      echo 'standard output is not UTF-8' >&2
      return 1
    elif IFS= read -r -d '' wf_text <"$wf_stdout"; then
      echo 'a value holds a NUL character' >&2
      return 1
    fi
    while [[ $wf_text == *$'\n' ]]; do
      wf_text=${wf_text%$'\n'}
      wf_text=${wf_text%$'\r'}
    done
    printf '%s\0' "$wf_text"
  done
}
