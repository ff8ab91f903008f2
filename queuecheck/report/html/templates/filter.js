const form = document.querySelector("form.filter");
const rows = [...document.querySelectorAll(".requirement")];
function filter() {
  const wanted = ["outcome", "level", "area"].map((key) => [key, form.elements[key].value]);
  for (const row of rows)
    row.hidden = wanted.some(([key, value]) => value && row.dataset[key] !== value);
  for (const area of document.querySelectorAll(".area"))
    area.hidden = !area.querySelector(".requirement:not([hidden])");
  const left = rows.filter((row) => !row.hidden).length;
  form.querySelector("output").textContent = `${left} of ${rows.length}`;
}
function reveal() {
  const found = document.getElementById(location.hash.slice(1));
  const row = found && found.closest("details");
  if (!row) return;
  row.hidden = false;
  row.closest(".area").hidden = false;
  row.open = true;
  found.scrollIntoView();
}
form.hidden = false;
form.addEventListener("change", filter);
addEventListener("hashchange", reveal);
filter();
reveal();
