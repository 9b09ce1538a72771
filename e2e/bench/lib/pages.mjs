// The pages on which snapshots are compared: one of 6,000 elements and five ordinary ones.
const words = "goal check verdict policy claim lease session pane frame journal host user page server file order".split(
  " ",
);
const text = (seed, n) =>
  Array.from({ length: n }, (_, i) => words[(seed * 7 + i * i + 3 * i) % words.length]).join(" ");
const times = (n, f) => Array.from({ length: n }, (_, i) => f(i)).join("");
const page = (title, body) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><body>${body}</body></html>`;
const nav = (n) =>
  `<nav aria-label="Main"><ul>${times(n, (i) => `<li><a href="/section/${i}">Section ${i}</a></li>`)}</ul></nav>`;

const rows = times(
  600,
  (i) =>
    `<tr><td>row ${i}</td><td><a href="#${i}">link ${i}</a></td><td><input value="value ${i}"></td><td><span>some</span> <b>text</b></td><td><button>button ${i}</button></td></tr>`,
);

const article = `${nav(8)}<main><article><h1>How a goal ends</h1>${times(
  8,
  (i) =>
    `<h2>Part ${i}</h2>${times(3, (j) => `<p>${text(i * 3 + j, 60)} <a href="/note/${i}-${j}">note ${i}.${j}</a> ${text(i + j, 20)} <em>${text(j, 3)}</em>.</p>`)}`,
)}</article></main><aside><h2>Related</h2><ul>${times(10, (i) => `<li><a href="/related/${i}">${text(i, 5)}</a></li>`)}</ul></aside><footer><a href="/imprint">Imprint</a> <a href="/privacy">Privacy</a></footer>`;

const form = `<main><h1>Sign up</h1><form method="post" action="/send">${times(
  12,
  (i) =>
    `<div><label for="f${i}">${text(i, 2)} ${i}</label><input id="f${i}" name="f${i}" value="${i % 3 ? "" : text(i, 2)}" ${i % 4 ? "" : "required"}></div>`,
)}<fieldset><legend>Plan</legend>${times(4, (i) => `<label><input type="radio" name="plan" ${i === 1 ? "checked" : ""}> Plan ${i}</label>`)}</fieldset><label for="country">Country</label><select id="country">${times(40, (i) => `<option>Country ${i}</option>`)}</select><label><input type="checkbox"> I agree to the terms</label><label for="say">Message</label><textarea id="say"></textarea><label for="pass">Password</label><input id="pass" type="password"><button>Send</button> <button type="button">Cancel</button></form></main>`;

const shop = `${nav(10)}<main><h1>Things</h1><label for="q">Search</label><input id="q" type="search"><ul>${times(
  48,
  (i) =>
    `<li><article><a href="/thing/${i}"><img src="data:," alt="Thing ${i}" width="80" height="60"><h3>Thing ${i} ${text(i, 3)}</h3></a><p>${text(i, 12)}</p><span>${(i * 7) % 90}.90</span><button>Add thing ${i} to the basket</button></article></li>`,
)}</ul><nav aria-label="Pages">${times(9, (i) => `<a href="?p=${i}">${i + 1}</a> `)}</nav></main>`;

const board = `${nav(14)}<main><h1>Today</h1><div role="tablist">${times(5, (i) => `<button role="tab" aria-selected="${i === 0}">Tab ${i}</button>`)}</div><section><h2>Numbers</h2>${times(6, (i) => `<div><h3>${text(i, 2)}</h3><p>${i * 317}</p></div>`)}</section><table><caption>Runs</caption><thead><tr>${times(7, (i) => `<th>Column ${i}</th>`)}</tr></thead><tbody>${times(
  40,
  (r) =>
    `<tr>${times(6, (c) => `<td>${text(r + c, 1)} ${r * c}</td>`)}<td><button aria-label="More of row ${r}" aria-expanded="false">…</button></td></tr>`,
)}</tbody></table></main>`;

const mail = `${nav(6)}<main><h1>Inbox</h1><div role="toolbar">${["Archive", "Delete", "Move", "Mark as read"].map((n) => `<button>${n}</button>`).join("")}</div><ul>${times(
  60,
  (i) =>
    `<li><input type="checkbox" aria-label="Select letter ${i}"><a href="/letter/${i}"><b>${text(i, 2)}</b> <span>${text(i, 6)}</span> <span>${text(i + 5, 14)}</span></a><time>12:${10 + (i % 50)}</time></li>`,
)}</ul></main>`;

export const pages = {
  "6,000 elements": page("Big", `<table>${rows}</table>`),
  article: page("Article", article),
  form: page("Form", form),
  shop: page("Shop", shop),
  board: page("Board", board),
  mail: page("Mail", mail),
};
