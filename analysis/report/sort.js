// Sorts a table by the column whose heading is clicked; once more turns the order round.
"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
    const headings = [...table.tHead.rows[0].cells], body = table.tBodies[0];
    const key = (row, column) => {
        const cell = row.cells[column], text = cell.dataset.value ?? cell.textContent;
        return text !== "" && !isNaN(text) ? Number(text) : text === "–" ? NaN : text;
    };
    // numbers, then text, then what is missing, whichever way they are sorted
    const rank = (x) => (typeof x === "string" ? 1 : isNaN(x) ? 2 : 0);
    const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b, undefined, {numeric: true}) : a < b ? -1 : a > b ? 1 : 0);
    headings.forEach((heading, column) => {
        const button = document.createElement("button");
        button.type = "button";
        button.append(...heading.childNodes);
        heading.append(button);
        button.addEventListener("click", () => {
            const down = heading.getAttribute("aria-sort") === "ascending";
            for (const other of headings) other.removeAttribute("aria-sort");
            heading.setAttribute("aria-sort", down ? "descending" : "ascending");
            const rows = [...body.rows].map((row) => [key(row, column), row]);
            rows.sort(([a], [b]) => rank(a) - rank(b) || (rank(a) === 2 ? 0 : (down ? -1 : 1) * compare(a, b)));
            body.append(...rows.map(([, row]) => row));
        });
    });
}
