# SPDX-License-Identifier: Apache-2.0
"""Plants faults in a scratch copy of the tree, and says which of them the tests find. README.md is the manual."""
import argparse
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent
FIELDS = ("file", "breaks")
MISSED_BY_ALL = "missed by all of "
FOUND, MISSED, BROKEN = "found", "missed", "broken"
# Most tests draw their calls, and of kernels a share: what one run misses the next may find, or one of all kernels.
TRIES = ({}, {}, {"CLQ_ALL_VARIANTS": "1"})
ALL_TAKE = 6  # times the limit: what is only slow must not count as found
CONFIGURE = ["-DCMAKE_C_COMPILER=gcc", "-DCLQ_WERROR=ON", "-DCLQ_BUILD_TESTS=ON", "-DCLQ_BUILD_EXAMPLES=ON"]


class Refusal(Exception):
    """What is wrong, as a sentence for the user."""


class Fault:
    def __init__(self, name, found_by, file, place):
        self.name, self.found_by, self.file, self.place = name, found_by, file, place
        self.breaks = ""
        self.text, self.new_text = [], []

    def pattern(self):
        return pattern_of(" ".join(self.text))

    def tests(self):
        """The tests to run, as ctest -R: one that found it, or those that did not."""
        if self.found_by.startswith(MISSED_BY_ALL):
            return self.found_by[len(MISSED_BY_ALL):]
        return f"^({'|'.join(re.escape(name) for name in self.found_by.split(', '))})$"


def pattern_of(text):
    """The text, with any white space between its words and signs: another width of lines does not matter."""
    parts = re.findall(r"\w+|[^\w\s]", text)
    pattern = ""
    for before, part in zip([""] + parts, parts):
        words = before[-1:].isidentifier() or before[-1:].isdigit()
        pattern += (r"\s+" if words and re.match(r"\w", part) else r"\s*" if before else "") + re.escape(part)
    # not in the middle of a longer name or number
    starts, ends = re.match(r"\w", parts[0]), re.match(r"\w", parts[-1])
    return re.compile((r"(?<!\w)" if starts else "") + pattern + (r"(?!\w)" if ends else ""))


def read_layer(path):
    """The faults of a file. A line is a name in brackets and what finds it, `field: text`, `-old text` or `+new text`."""
    faults = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        place = f"{path.name}:{number}"
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("["):
            name, _, found_by = line[1:].partition("]")
            if name.split("/")[0] != path.stem or not re.fullmatch(r"[a-z]+/[a-z0-9-]+", name):
                raise Refusal(f"{place}: the name '{name}' must be {path.stem}/ and small letters, digits and hyphens")
            if not found_by.strip():
                raise Refusal(f"{place}: {name} names no test behind it")
            faults.append(Fault(name, found_by.strip(), faults[-1].file if faults else "", place))
            continue
        if not faults:
            raise Refusal(f"{place}: a fault begins with its name in brackets")
        if line[0] == "-":
            faults[-1].text.append(line[1:])
        elif line[0] == "+":
            faults[-1].new_text.append(line[1:])
        else:
            field, _, text = line.partition(":")
            if field not in FIELDS or not text.strip():
                raise Refusal(f"{place}: '{field}' must be one of {', '.join(FIELDS)}, with a text")
            setattr(faults[-1], field, text.strip())
    for fault in faults:
        for field in FIELDS:
            if not getattr(fault, field):
                raise Refusal(f"{fault.place}: {fault.name} has no '{field}:'")
        if not "".join(fault.text).strip():
            raise Refusal(f"{fault.place}: {fault.name} has no old text, a line that begins with -")
    return faults


def read_all():
    faults = [fault for path in sorted(HERE.glob("*.faults")) for fault in read_layer(path)]
    names = [fault.name for fault in faults]
    for name in names:
        if names.count(name) > 1:
            raise Refusal(f"{name} is there {names.count(name)} times: a name must be one fault's")
    return faults


def git_files(tree):
    """The files of the working tree that git does not ignore."""
    out = subprocess.run(["git", "-C", tree, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                         check=True, capture_output=True).stdout
    return sorted({name for name in out.decode().split("\0") if name and (tree / name).is_file()})


def planted_text(fault, tree):
    """The text of the fault's file with the fault in it."""
    path = tree / fault.file
    text = path.read_text() if path.is_file() else ""
    found = list(fault.pattern().finditer(text))
    if len(found) == 1:
        return text[:found[0].start()] + "\n".join(fault.new_text) + text[found[0].end():]
    elsewhere = [name for name in git_files(tree) if name != fault.file and not name.startswith("tests/planted/")
                 and name.endswith((".c", ".h", ".cl", ".clh", ".cmake", ".in", ".txt"))
                 and len(fault.pattern().findall((tree / name).read_text())) == 1]
    hint = f"; it does in {' and '.join(elsewhere)}" if not found and elsewhere else ""
    what = f"its old text occurs {len(found)} times in {fault.file}" if path.is_file() else f"there is no {fault.file}"
    raise Refusal(f"{fault.place}: {fault.name}: {what}, and must occur once{hint}")


def check(faults):
    wrong = 0
    for fault in faults:
        try:
            if planted_text(fault, TREE) == (TREE / fault.file).read_text():
                raise Refusal(f"{fault.place}: {fault.name}: its new text is the old one")
        except Refusal as refusal:
            wrong += 1
            print(refusal)
    print(f"{len(faults)} faults, {wrong} of which do not fit the tree")
    return wrong == 0


class Copy:
    """The scratch copy, and its build folder, which all faults share."""

    def __init__(self, at, cache):
        self.root, self.build, self.log = at / "tree", at / "build", at / "log"
        self.cache = cache
        if self.root.is_relative_to(TREE):
            raise Refusal(f"--at {at}: it must not be inside the tree, {TREE}")
        mark = at / "planted"  # what is copied here is also removed: not where somebody keeps files
        if self.root.exists() and not mark.exists():
            raise Refusal(f"--at {at}: there is a 'tree' already, which no run of plant.sh has made")
        self.root.mkdir(parents=True, exist_ok=True)
        self.lock = mark.open("w")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Refusal(f"--at {at}: another run of plant.sh works there") from None

    def write(self, name, data, mode):
        path = self.root / name
        if path.is_file() and path.read_bytes() == data:
            return  # an untouched file is not built again
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(mode)

    def sync(self):
        names = git_files(TREE)
        for name in names:
            source = TREE / name
            self.write(name, source.read_bytes(), source.stat().st_mode & 0o777)
        known = set(names)
        for path in [path for path in self.root.rglob("*") if path.is_file()]:
            if str(path.relative_to(self.root)) not in known:
                path.unlink()

    def plant(self, fault):
        text = planted_text(fault, TREE)
        self.write(fault.file, text.encode(), (TREE / fault.file).stat().st_mode & 0o777)

    def run(self, command, limit=None, **more):
        """The exit status, and None past the limit; what it prints goes to the log."""
        with open(self.log, "ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                       start_new_session=True, cwd=self.root, **more)
            try:
                return process.wait(limit)
            except subprocess.TimeoutExpired:
                return None
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()

    def configure(self):
        """Once is enough: a build sees by itself that a list of CMake's has changed."""
        known = self.build / "CMakeCache.txt"
        if shutil.which("ninja") and known.is_file() and "CMAKE_GENERATOR:INTERNAL=Ninja" not in known.read_text():
            known.unlink()  # make takes a fifth more of the processor
        query = self.build / ".cmake/api/v1/query/codemodel-v2"
        query.parent.mkdir(parents=True, exist_ok=True)
        query.touch()
        ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
        cache = [f"-DCLQ_TEST_CACHE={self.cache}"] if self.cache else []
        return self.run(["cmake", "-S", self.root, "-B", self.build, *ninja, *CONFIGURE, *cache]) == 0

    def artifacts(self):
        """From the path of what is built to its target."""
        targets = {}
        for path in (self.build / ".cmake/api/v1/reply").glob("target-*.json"):
            target = json.loads(path.read_text())
            for artifact in target.get("artifacts", []):
                targets[str(self.build / artifact["path"])] = target["name"]
        return targets

    def targets_of(self, tests):
        """What the tests that match need, by what their commands and environments name; None: everything."""
        targets, artifacts = set(), self.artifacts()
        for path in self.build.rglob("CTestTestfile.cmake"):
            for line in path.read_text().splitlines():
                match = re.match(r"(?:add_test|set_tests_properties)\(\[=\[(.*?)\]=\] (.*)", line)
                if not match or not re.search(tests, match[1]):
                    continue
                for word in re.findall(r"[^\s\";=]+", match[2]):
                    word = re.sub(r"\.so[.\d]+$", ".so", word)  # a version is not in the artifact's name
                    if word in artifacts:
                        targets.add(artifacts[word])
                    elif word == str(self.build):
                        return None
        return targets

    def make(self, tests, jobs):
        targets = self.targets_of(tests) if tests else None
        if targets is not None and not targets:
            return True
        named = ["--target", *sorted(targets)] if targets else []
        return self.run(["cmake", "--build", self.build, "-j", str(jobs), *named]) == 0


def try_it(copy, tests, command, jobs, limit, more=None):
    """Builds, and runs the tests that match, or the command. Says how that ended, and how."""
    copy.log.write_bytes(b"")
    if not copy.make(None if command else tests, jobs):
        return BROKEN, f"it does not build: {copy.log}"
    run = command or ["ctest", "--test-dir", copy.build, "-R", tests, "--output-on-failure", "--no-tests=error"]
    code = copy.run(run, limit, env={**os.environ, "CLQ_BUILD_DIR": str(copy.build), **(more or {})})
    if not command and b"No tests were found" in copy.log.read_bytes():
        return BROKEN, f"no test matches '{tests}'"
    if not command and b"***Skipped" in copy.log.read_bytes():
        return BROKEN, f"this machine skips '{tests}'"
    if code is None:
        return FOUND, f"it does not end within {limit} s"
    failed = re.findall(rb"^\t *\d+ - (\S+) \(", copy.log.read_bytes(), re.MULTILINE)
    return (MISSED, "") if code == 0 else (FOUND, ", ".join(name.decode() for name in failed))


def print_table(faults):
    print("| fault | what it breaks | found by |\n|---|---|---|")
    for fault in faults:
        missed = fault.found_by.startswith(MISSED_BY_ALL)
        by = f"{MISSED_BY_ALL}`{fault.tests()}`".replace("|", "\\|") if missed else fault.found_by
        print(f"| {fault.name} | {fault.breaks} | {by} |")


def run_faults(copy, faults, options):
    counts = {FOUND: 0, MISSED: 0, BROKEN: 0}
    for fault in faults:
        begin = time.monotonic()
        copy.sync()
        copy.plant(fault)
        tests = options.tests or fault.tests()
        for more in TRIES:
            limit = ALL_TAKE * options.limit if more else options.limit
            result, detail = try_it(copy, tests, options.command, options.jobs, limit, more)
            if result != MISSED:
                break
        counts[result] += 1
        print(f"{result:7} {fault.name:36} {time.monotonic() - begin:5.0f} s  {detail}", flush=True)
    copy.sync()
    print(f"{len(faults)} faults: {counts[FOUND]} found, {counts[MISSED]} missed, {counts[BROKEN]} broken")
    return counts[MISSED] + counts[BROKEN] == 0


def run_clean(copy, faults, options):
    """The same tests without a fault: what fails here finds nothing."""
    good = True
    copy.sync()
    for tests in sorted({options.tests or fault.tests() for fault in faults}):
        begin = time.monotonic()
        result, detail = try_it(copy, tests, options.command, options.jobs, options.limit)
        good &= result == MISSED
        print(f"{'passed' if result == MISSED else 'FAILED'} {tests} {time.monotonic() - begin:.0f} s {detail}", flush=True)
        if options.command:
            break
    return good


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="plant.sh", description="Plants faults in a scratch copy of the tree, one at a time, builds it, and runs "
        "the tests that each names, or a command.",
        epilog="Exit status: 0 all are found; 1 some are missed or do not build; 2 wrong usage, or a record that does "
        "not fit the tree.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a fault, as --list names it")
    parser.add_argument("--layer", action="append", default=[], metavar="LAYER", help="all faults of a layer")
    parser.add_argument("--all", action="store_true", help="all faults")
    parser.add_argument("--list", action="store_true", help="names them, and what each breaks")
    parser.add_argument("--table", action="store_true", help="the same in Markdown, and which test found it")
    parser.add_argument("--check", action="store_true", help="only whether the faults fit the tree")
    parser.add_argument("--clean", action="store_true", help="runs the tests without a fault: they must pass")
    parser.add_argument("--tests", metavar="REGEX", help="these tests, as ctest -R, instead of those of the faults")
    parser.add_argument("--at", type=pathlib.Path, metavar="DIRECTORY", help="the scratch copy and its build: "
                        "clquant-planted below XDG_CACHE_HOME or ~/.cache if left out")
    parser.add_argument("--cache", metavar="DIRECTORY", help="CLQ_TEST_CACHE of the build")
    parser.add_argument("--jobs", "-j", type=int, default=os.cpu_count(), metavar="N", help="of the build")
    parser.add_argument("--limit", type=float, default=600, metavar="SECONDS",
                        help="a fault whose tests run longer counts as found; 600 if left out")
    at = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:at])
    options.command = arguments[at + 1:]
    if at < len(arguments) and not options.command:
        parser.error("a command is expected behind --")
    return options


def choose(faults, options):
    layers = {fault.name.split("/")[0] for fault in faults}
    for layer in options.layer:
        if layer not in layers:
            raise Refusal(f"--layer {layer}: it must be one of {', '.join(sorted(layers))}")
    for name in options.names:
        if name not in [fault.name for fault in faults]:
            raise Refusal(f"{name}: there is no such fault; --list has them")
    everything = options.all or not options.names and not options.layer
    return [fault for fault in faults
            if everything or fault.name in options.names or fault.name.split("/")[0] in options.layer]


def main(arguments):
    options = parse(arguments)
    faults = choose(read_all(), options)
    if options.list:
        for fault in faults:
            print(f"{fault.name:36} {fault.breaks}")
        return 0
    if options.table:
        print_table(faults)
        return 0
    if options.check:
        return 0 if check(faults) else 2
    if not (options.all or options.names or options.layer):
        raise Refusal("a fault's NAME, --layer LAYER or --all is expected; --help has the rest")
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    at = (options.at or pathlib.Path(cache) / "clquant-planted").resolve()
    for fault in faults:
        planted_text(fault, TREE)  # refuses before anything runs
    copy = Copy(at, options.cache)
    copy.sync()
    copy.log.write_bytes(b"")
    if not copy.configure():
        raise Refusal(f"the tree is not configured: {copy.log}")
    run = run_clean if options.clean else run_faults
    return 0 if run(copy, faults, options) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Refusal as refusal:
        print(f"plant.sh: {refusal}", file=sys.stderr)
        sys.exit(2)
