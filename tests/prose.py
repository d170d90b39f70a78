"""Lists what the documents' prose could say better: sentences of more than 25 words, words that the glossary replaces, and method pages
with other headings than the rest. Fails no test: tests/daily.sh prints the list.

    python3 tests/prose.py
"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "docs"))
import members  # noqa: E402
import options  # noqa: E402

FOLDERS = ".", "docs", "core", "solvers", "cuda", "scenarios", "analysis", "results", "tests"
DOCUMENTS = sorted(path for folder in FOLDERS for path in glob.glob(os.path.join(ROOT, folder, "**" if folder != "." else "", "*.md"), recursive=True))
PAPERS = "macklin", "tasora", "anitescu", "lecleach", "larionov"
EXEMPT = {f"results/claims/{paper}.md" for paper in PAPERS}  # `reproduce --claims` writes them, with sentences of the papers
WORDS = 25  # of a sentence
HEADINGS = ["Problem", "Algorithm", "Options", "Cost", "Limits", "Source"]  # of a method's page
GLOSSARY = (  # what documents do not say, and what they say
    (r"\bbesides?\b", "compared with, in addition, next to"), (r"\banew\b", "again"), (r"\blikewise\b", "the noun, repeated"),
    (r"\bof (its|their) own\b", "separate, its own ..."), (r"\bby name\b", "the message, repeated"), (r"\b(came|comes?) there\b", "converged"),
    (r"\bhalf-lines?\b", "nonnegative orthant"), (r"\bexact finish\b", "semismooth Newton polish"), (r"\bhangs? together\b", "island"),
    (r"\b(it|they|which|methods?|devices?|batches) (knows?|judges?)\b", "supports, measures"),
    (r"colour|behaviour|neighbour|centred?\b|\bgrey\b|\banalys(e[ds]?|ing)\b", "American spelling"),
    (r"\b(?!prec|rev|superv|adv)\w{3,}(?<!prom)(?<!rev)(isation|ised|ising)s?\b", "American spelling: -ize"),
)


def prose(text):
    """text without fenced and indented code"""
    return re.sub(r"^```.*?^```$|^    .*?$", "", text, flags=re.M | re.S)


def long_sentences(text):
    """of more than WORDS words, outside code, tables and headings"""
    text = re.sub(r"^(\||#|!\[).*$", "", prose(text), flags=re.M)
    for paragraph in re.split(r"\n\s*\n|\n- ", text):
        for sentence in re.split(r"(?<=[.?!:])\s+", " ".join(paragraph.split())):
            if len(sentence.split()) > WORDS:
                yield f"{len(sentence.split())} words: {sentence}"


def old_words(text):
    text = re.sub(r"`[^`\n]*`|\]\([^)]*\)", "", prose(members.MARKED.sub("", options.MARKED.sub("", text))))  # those are the program's texts
    for pattern, better in GLOSSARY:
        for found in re.finditer(pattern, text, re.I):
            yield f"{' '.join(text[max(0, found.start() - 30):found.end() + 30].split())} (use: {better})"


def other_headings(text):
    """of the page of a method, which the mark of its options tells"""
    headings = re.findall(r"^## (.*)$", text, re.M)
    if any(kind == "methods" for _, kind, _, _ in options.MARKED.findall(text)) and headings != HEADINGS:
        yield f"headings {', '.join(headings)} (use: {', '.join(HEADINGS)})"


def main():
    found = 0
    for path in (os.path.relpath(path, ROOT) for path in DOCUMENTS):
        text = options.read(path)
        for line in [] if path in EXEMPT else [*long_sentences(text), *old_words(text), *other_headings(text)]:
            print(f"{path}: {line}")
            found += 1
    print(f"{len(DOCUMENTS)} documents, {found} places")


if __name__ == "__main__":
    main()
