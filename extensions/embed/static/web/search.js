// Searches a folder that `./breadcrumb export --static` wrote. A query loads the pieces that have its words, then the
// records and passages of ten results: extensions/embed/static/__init__.py has the format.

import { Analysis, unknownForms } from "./analysis.js";
import { answeringSections, bestPosition, excerpt } from "./excerpts.js";
import { callingTexts, lengthNorm, rank, scorers } from "./ranking.js";
import { stem } from "./stemmer.js";

const MAX_SUGGESTIONS = 8, FIRST_LETTERS = 2, GZIP = [0x1f, 0x8b];

export async function open(folder) {
  const files = new Files(folder);
  const index = JSON.parse(new TextDecoder().decode(await files.read("index", "")));
  return new StaticSearch(files, index, new Table(index, numbersIn(await files.read("pages", index.version))));
}

// The files of the folder, each loaded once.
class Files {
  constructor(folder) {
    this.folder = folder;
    this.loaded = new Map();
  }

  read(name, version) {
    if (!this.loaded.has(name)) {
      const loading = this.load(name, version);
      loading.catch(() => this.loaded.delete(name)); // the next query tries again
      this.loaded.set(name, loading);
    }
    return this.loaded.get(name);
  }

  async load(name, version) {
    const address = new URL(`${name}.bin${version && `?v=${version}`}`, this.folder);
    const response = await fetch(address, { credentials: "same-origin", cache: version ? "default" : "no-cache" });
    if (!response.ok) throw new Error(`${address.pathname} is not there (${response.status})`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (bytes[0] !== GZIP[0] || bytes[1] !== GZIP[1]) return bytes; // the server said that it is packed, and fetch unpacked it
    const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(unpacked).arrayBuffer());
  }

  async rows(kind, number, version) {
    return JSON.parse(new TextDecoder().decode(await this.read(`${kind}-${number}`, version)));
  }
}

// Return packed numbers: seven bits in a byte, the lowest first; the eighth says that more follow.
function numbersIn(bytes) {
  const found = new Uint32Array(bytes.length);
  let [count, value, shift] = [0, 0, 0];
  for (const byte of bytes) {
    value += (byte & 0x7f) * 2 ** shift;
    shift += 7;
    if (byte < 0x80) [found[count], count, value, shift] = [value, count + 1, 0, 0];
  }
  return found.subarray(0, count);
}

// The numbers of all pages.
class Table {
  constructor(index, numbers) {
    Object.assign(this, { pages: index.pages, fields: index.fields, weights: index.weights, sites: index.sites });
    Object.assign(this, { homes: index.homes, spoken: index.spoken, demoted: index.demoted, knowsLinks: index.knows_links });
    let at = 0;
    const column = () => numbers.subarray(at, (at += index.pages));
    this.lengths = index.fields.map(column);
    this.rank = Float64Array.from(column(), (rank) => rank / index.rank_unit);
    [this.site, this.cluster, this.expires, this.hasPositions, this.counts] = [column(), column(), column(), column(), column()];
    this.places = numbers.subarray(at);
    this.firsts = [];
    let first = 0;
    for (const count of this.counts) {
      this.firsts.push(first);
      first += 2 * count;
    }
    this.means = this.lengths.map((lengths) => {
      const having = lengths.filter(Boolean);
      return having.length ? having.reduce((sum, each) => sum + each, 0) / having.length : 0;
    });
    this.body = index.fields.findIndex((field) => field.name === "body");
  }

  norm(field, page) {
    return lengthNorm(this.lengths[field][page], this.means[field], this.fields[field].length);
  }

  // Return the sections of a page as positions in its body: {start, heading, end}; `heading` is the end of its heading.
  sections(page) {
    const found = [];
    let [at, position] = [this.firsts[page], 0];
    for (let left = this.counts[page]; left; left -= 1) {
      const start = position + this.places[at++];
      position = start + this.places[at++];
      if (found.length) found.at(-1).end = start;
      found.push({ start, heading: position, end: this.lengths[this.body][page] });
    }
    return found;
  }
}

// The postings of one word in one field: pages, frequencies, and positions where they are kept.
class Postings {
  constructor(field, pages, times, steps, kept) {
    Object.assign(this, { field, pages, times, steps, kept });
  }

  positions(page) {
    this.begins ??= this.#begins();
    const at = this.begins.get(page);
    if (at === undefined) return [];
    let position = 0;
    return Array.from(this.steps.subarray(at[0], at[1]), (step) => (position += step));
  }

  #begins() {
    const found = new Map();
    let begin = 0;
    this.pages.forEach((page, at) => {
      if (!this.kept(page)) return;
      found.set(page, [begin, begin + this.times[at]]);
      begin += this.times[at];
    });
    return found;
  }
}

// The words of the folder, by pieces.
class Words {
  constructor(files, index, table) {
    Object.assign(this, { files, table, version: index.version, rows: new Map() });
    this.begins = index.terms.map(encoded);
    this.loaded = new Set();
  }

  // Load words with all their forms.
  async load(texts) {
    await this.#loadAll(texts);
    const unknown = texts.filter((text) => !this.rows.get(text)?.postings.length);
    await this.#loadAll(unknown.flatMap((text) => unknownForms(text, stem)));
    await this.#loadAll(texts.flatMap((text) => [...this.variants(text).keys()]));
  }

  async #loadAll(texts) {
    const numbers = new Set(texts.map((text) => lastAtMost(this.begins, encoded(text), isBefore)));
    await Promise.all([...numbers].filter((number) => number >= 0 && !this.loaded.has(number)).map(async (number) => {
      this.#unpack(await this.files.read(`terms-${number}`, this.version));
      this.loaded.add(number);
    }));
  }

  #unpack(bytes) {
    const line = bytes.indexOf(10);
    const numbers = numbersIn(bytes.subarray(line + 1));
    let at = 0;
    for (const [word, forms, size] of JSON.parse(new TextDecoder().decode(bytes.subarray(0, line)))) {
      const own = numbers.subarray(at, (at += size));
      this.rows.set(word, { forms, get postings() {
        return (this.read ??= own.length ? [...postingsIn(own, this.table)] : []);
      }, table: this.table });
    }
  }

  postings(word) {
    return this.rows.get(word)?.postings ?? [];
  }

  // Return whether a page has the word outside menus and footers.
  has(word) {
    return this.postings(word).some(({ field }) => this.table.fields[field].name !== "template");
  }

  // Return the words that match a word of a query, and whether each is the word itself.
  variants(text) {
    const found = new Map([[text, true]]);
    const row = this.rows.get(text);
    const forms = row?.postings.length ? row.forms : [text, ...unknownForms(text, stem)].flatMap((form) =>
      [form, ...(this.rows.get(form)?.forms ?? [])]);
    for (const form of forms) if (!found.has(form)) found.set(form, false);
    return found;
  }
}

function* postingsIn(numbers, table) {
  const kept = (page) => table.hasPositions[page];
  for (let at = 0; at < numbers.length;) {
    const [field, count] = [numbers[at], numbers[at + 1]];
    const pages = new Uint32Array(count), times = new Uint32Array(count);
    let [page, positions] = [0, 0];
    for (let row = 0; row < count; row += 1) {
      page += numbers[at + 2 + 2 * row];
      [pages[row], times[row]] = [page, numbers[at + 3 + 2 * row]];
      if (table.fields[field].positions && kept(page)) positions += times[row];
    }
    at += 2 + 2 * count;
    yield new Postings(field, pages, times, numbers.subarray(at, at + positions), kept);
    at += positions;
  }
}

const encoded = (text) => new TextEncoder().encode(text); // in this order the pieces are

function isBefore(one, other) {
  const at = one.findIndex((byte, place) => byte !== other[place]);
  return at < 0 ? one.length < other.length : at >= other.length ? false : one[at] < other[at];
}

// Return the place of the last of ascending values that is not after a value; -1: none.
function lastAtMost(values, wanted, before = (one, other) => one < other) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (before(wanted, values[middle])) high = middle;
    else low = middle + 1;
  }
  return low - 1;
}

class StaticSearch {
  constructor(files, index, table) {
    Object.assign(this, { files, index, table, analysis: new Analysis(index), words: new Words(files, index, table) });
  }

  // Return results as /api/search does.
  async search(text, { page = 1, n = 10, site = "" } = {}) {
    const query = await this.analysis.parse(text, this.words);
    const gains = scorers(query, this.words, this.table);
    const called = await this.#called(callingTexts(query, gains, this.table));
    const ranking = rank(query, gains, this.words, this.table, { analysis: this.analysis, site, called });
    const shown = ranking.pages.slice((page - 1) * n, page * n);
    const hits = await Promise.all(shown.map((number) => this.#hit(number, ranking)));
    return { query: text, total: ranking.pages.length, folded: 0, hits };
  }

  async #row(kind, key) {
    const piece = lastAtMost(this.index[kind], key);
    const rows = await this.files.rows(kind, piece, this.index.version);
    return rows[key - this.index[kind][piece]];
  }

  // Return the pages that links with one of these texts lead to, each with the number of these links.
  async #called(texts) {
    const called = new Map();
    for (const [text, site] of texts) {
      const key = this.analysis.textKey(text);
      const piece = lastAtMost(this.index.link_texts, key);
      const rows = piece < 0 ? [] : (await this.files.rows("links", piece, this.index.version)).flat();
      for (const [, page, links] of rows.filter(([found]) => found === key)) {
        const isThere = site === undefined || this.table.site[page] === site;
        if (isThere) called.set(page, Math.max(links, called.get(page) ?? 0));
      }
    }
    return called;
  }

  async #hit(number, { gains, sections, scores }) {
    const [address, title, description, lang, headings, first, steps] = await this.#row("records", number);
    const url = new URL(address, this.files.folder).href;
    const answering = answeringSections(url, headings, sections.get(number) ?? [], gains.length);
    let marked = [];
    if (steps.length) {
      const position = bestPosition(number, gains, this.table.body);
      let reached = 0;
      const begins = steps.map((step) => (reached += step));
      const passage = Math.max(0, lastAtMost(begins, position));
      const text = await this.#row("text", first + passage);
      marked = excerpt(text, this.#matches(text, gains));
    } else if (description) marked = [[description, false]];
    const snippet = marked.map(([part]) => part).join("");
    const hit = { url, title, lang, snippet, marked, sections: answering.sections, score: scores.get(number) };
    return answering.leads ? { ...hit, leads_to: answering.leads } : hit;
  }

  *#matches(text, gains) {
    const known = new Map(gains.flatMap((gain) => [...gain.term.variants.keys()].map((word) => [word, gain.term.text])));
    for (const { words, start, end } of this.analysis.tokens(text)) {
      const word = words.find((each) => known.has(each));
      if (word) yield [start, end, known.get(word)];
    }
  }

  // Return whole queries that begin with what was typed: titles and headings, then words and pairs of words.
  async suggest(typed) {
    const begun = typed.trimStart().toLowerCase();
    const own = await this.#entries(begun);
    const names = own.filter(([, , isName]) => isName), others = own.filter(([, , isName]) => !isName);
    const found = [...others.slice(0, 1), ...names.slice(0, 3), ...others.slice(1)].map(([text]) => text);
    const [before, last] = /^([^]*\s)?(\S+\s\S*)$/u.exec(begun)?.slice(1) ?? ["", ""];
    if (before) found.push(...(await this.#entries(last)).map(([text]) => before + text));
    const different = new Map(found.map((text) => [text.toLowerCase(), text]));
    different.delete(begun.trim());
    return [...different.values()].slice(0, MAX_SUGGESTIONS);
  }

  // Return the entries that begin so, the most frequent first: [text, how often, whether it is more than two words].
  async #entries(begun) {
    const first = [...begun].slice(0, FIRST_LETTERS).join("");
    const piece = lastAtMost(this.index.names.map(encoded), encoded(first), isBefore);
    if ([...first].length < FIRST_LETTERS || piece < 0) return [];
    const rows = (await this.files.rows("names", piece, this.index.version)).flat();
    const found = rows.filter(([text]) => text.toLowerCase().startsWith(begun));
    return found.sort((one, other) => other[1] - one[1]).map(([text, times]) => [text, times, text.trim().split(/\s+/u).length > 2]);
  }
}
