"""The public interface of a crate as text, from the pages that `cargo doc` writes.

    cargo doc --no-deps -p tabiya-chess
    python3 tests/api/public_api.py target/doc tabiya-chess            # compares with tests/api/tabiya-chess.txt
    python3 tests/api/public_api.py target/doc tabiya-chess --update   # writes it

A line for each public item, method, variant, field and trait implementation. A change of the interface shows
in the diff of a commit; `make api-check` fails if a snapshot is not up to date.
"""

import argparse
import difflib
import html
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
KINDS = ("struct", "enum", "trait", "fn", "constant", "static", "macro", "type", "union")
DECLARATION = re.compile(r'<pre class="rust item-decl"><code>(.*?)</code></pre>', re.S)
HEADER = re.compile(r'<h[34] class="code-header">(.*?)</h[34]>', re.S)
# What every type has.
GENERIC = re.compile(r'<h2 id="(?:synthetic|blanket)-implementations".*', re.S)
# Methods of the type itself, and the traits it implements but not their methods.
OWN = re.compile(r"pub |(?:unsafe )?impl(?:<.*?>)? .* for ")
HIDDEN = re.compile(r'<details class="toggle type-contents-toggle"><summary class="hideme">.*?</summary>', re.S)


def text(fragment: str) -> str:
    """The text of a piece of HTML on one line."""
    fragment = re.sub(r'<span class="comment">.*?</span>', "", fragment, flags=re.S)
    fragment = fragment.replace('<div class="where">', " ")
    plain = html.unescape(re.sub(r"<[^>]*>", "", fragment))
    return re.sub(r"\s+", " ", plain).strip()


def items(folder: Path) -> list[str]:
    """The lines of a crate, sorted by path."""
    lines = []
    for page in sorted(folder.rglob("*.html")):
        kind, _, name = page.stem.partition(".")
        if kind not in KINDS or not name:
            continue
        path = "::".join([*page.relative_to(folder.parent).parent.parts, name])
        content = GENERIC.sub("", page.read_text())
        declaration = DECLARATION.search(content)
        if not declaration:
            continue  # a redirect to where the item is exported
        lines.append(f"{path}: {text(HIDDEN.sub('', declaration[1]))}")
        if kind in ("struct", "enum", "union", "type"):
            headers = {text(header) for header in HEADER.findall(content)}
            lines.extend(f"{path}: {header}" for header in sorted(headers) if OWN.match(header))
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("doc", type=Path, help="the folder that cargo doc writes")
    parser.add_argument("crates", nargs="+", help="names of packages")
    parser.add_argument("--update", action="store_true", help="write the snapshots")
    args = parser.parse_args()
    outdated = 0
    for crate in args.crates:
        snapshot = HERE / f"{crate}.txt"
        found = items(args.doc / crate.replace("-", "_"))
        if not found:
            sys.exit(f"no pages of {crate} in {args.doc}")
        if args.update:
            snapshot.write_text("".join(f"{line}\n" for line in found))
            continue
        expected = snapshot.read_text().splitlines() if snapshot.exists() else []
        diff = list(difflib.unified_diff(expected, found, snapshot.name, "this build", lineterm="", n=0))
        print("\n".join(diff) if diff else f"{crate}: {len(found)} lines, as in {snapshot.name}")
        outdated += bool(diff)
    if outdated:
        print("`make api` updates the snapshots")
    return min(outdated, 1)


if __name__ == "__main__":
    sys.exit(main())
