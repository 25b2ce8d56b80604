const { default: DataTable } = await import(document.getElementById("library").textContent);

// The library's style sheet is told of the dark by a class.
const dark = matchMedia("(prefers-color-scheme: dark)");
const tell = () => document.documentElement.classList.toggle("dark", dark.matches);
dark.addEventListener("change", tell);
tell();

const SHORT = 25;

for (const table of document.querySelectorAll(".box > table")) {
  const name = table.getAttribute("aria-label");
  const long = table.tBodies[0].rows.length > SHORT;
  const heads = [...table.tHead.rows[0].cells];
  new DataTable(table, {
    autoWidth: false,
    columns: heads.map((head) => ({ type: head.classList.contains("number") ? "num" : "string" })),
    info: long,
    language: {
      emptyTable: "Nothing here",
      info: "Rows _START_ to _END_ of _TOTAL_",
      infoEmpty: "No row",
      infoFiltered: "(of _MAX_ in all)",
      lengthMenu: "_MENU_ rows a page",
      search: "Filter",
      zeroRecords: "No row has this",
    },
    layout: { topStart: "search", topEnd: long ? "pageLength" : null },
    lengthMenu: [SHORT, 100, { label: "all", value: -1 }],
    order: [],
    pageLength: SHORT,
    paging: long,
  });
  const container = table.closest(".dt-container");
  container.querySelector("nav")?.setAttribute("aria-label", `Pages of ${name}`);
  const box = table.closest(".dt-layout-table");
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", `Rows of ${name}`);
}
