// Which pages match, and in which order? The formula of the gateway, summand by summand, over the postings of a query.
// indexer/ranking has the reasons: score.py the terms, proximity.py neighbours, sections.py sections, prior.py the rest.

const LOOKED_AT = 300; // pages whose neighbours and sections are examined
const ENOUGH = 10; // pages with all phrases: then others do not follow
const NAME_WORDS = 4, SENTENCE_WORDS = 8;
const WINDOW = 8, MAX_PAIRS = 24, MAX_GAP = 2, BACKWARD = 0.5;
const USUAL_WORDS = 130, USUAL_HEADING = 4;
const MAX_ALL_WORDS = 4, HALF_CALLED = 3, MAX_HOMES = 100;

const saturation = (frequency, half) => frequency / (frequency + half);
const lengthNorm = (length, mean, share) => 1 - share + (share * length) / (mean || 1);
const idfOf = (pages, having) => Math.log(1 + (pages - having + 0.5) / (having + 0.5));
const sumOf = (rows, value) => rows.reduce((sum, row) => sum + value(row), 0);

// Return the weights for a query of so many words: of few words it names a page, of many it is a sentence.
function weightsFor(usual, length) {
  const share = Math.min(Math.max((length - NAME_WORDS) / (SENTENCE_WORDS - NAME_WORDS), 0), 1);
  const between = (name, sentence) => usual[name] + share * (usual[sentence] - usual[name]);
  return {
    ...usual,
    said: between("said", "sentence_said"),
    name: between("name", "sentence_name"),
    other_form: between("other_form", "sentence_form"),
  };
}

// One term: which pages have it, and how often in texts and names.
class TermScorer {
  constructor(term, words, table, weights) {
    this.term = term;
    this.weights = weights;
    this.forms = [...term.variants].flatMap(([word, isExact]) =>
      words.postings(word).map((postings) => ({ postings, closeness: isExact ? 1 : weights.other_form })));
    const [said, called, around] = [new Map(), new Map(), new Map()];
    const add = (sums, page, amount) => amount && sums.set(page, (sums.get(page) ?? 0) + amount);
    for (const { postings, closeness } of this.forms) {
      const field = table.fields[postings.field];
      postings.pages.forEach((page, at) => {
        const weighed = (closeness * postings.times[at]) / table.norm(postings.field, page);
        add(field.name === "template" ? around : said, page, field.text * weighed);
        add(called, page, field.called * weighed);
      });
    }
    let having = new Set([...said.keys(), ...called.keys()]);
    if (!having.size) having = new Set(around.keys()); // only then do templates match
    this.having = having;
    this.said = (page) => (said.get(page) ?? 0) + (around.get(page) ?? 0);
    this.called = (page) => called.get(page) ?? 0;
    this.idf = idfOf(table.pages, having.size);
  }

  get factor() {
    return this.term.weight * this.idf;
  }

  // Return what the term adds to a page, as shares of weight x idf: by its text, and by its names.
  shares(page) {
    if (!this.having.has(page)) return [0, 0];
    const { said, called, name } = this.weights;
    return [saturation(this.said(page), said), name * saturation(this.called(page), called)];
  }

  // Return the positions of the term in a field of a page, ascending.
  positions(page, field) {
    const found = this.forms.filter(({ postings }) => postings.field === field).map(({ postings }) => postings.positions(page));
    return found.length === 1 ? found[0] : found.flat().sort((one, other) => one - other);
  }
}

// Return a scorer for each term that the query ranks by.
export function scorers(query, words, table) {
  const weights = weightsFor(table.weights, query.length);
  const gains = query.ranking.map((term) => new TermScorer(term, words, table, weights));
  limitIdf(gains);
  return gains;
}

// Return the texts by which links may call a page: the query, and what it says besides the name of a site, with the site.
export function callingTexts(query, gains, table) {
  const texts = [[query.typed.join(" ")]];
  const homes = namedHomes(gains, table);
  const isName = (gain) => !gain.term.isStop && homes.filter(({ naming }) => naming.includes(gain)).length <= MAX_HOMES;
  const named = new Set(gains.filter(isName));
  for (const { page, naming } of homes) {
    const names = new Set(naming.filter((gain) => named.has(gain)).flatMap((gain) => gain.term.typed));
    const rest = query.typed.filter((word) => !names.has(word));
    if (rest.length < query.typed.length) texts.push([rest.join(" "), table.site[page]]);
  }
  return texts;
}

export function rank(query, gains, words, table, { analysis, site = "", called = new Map(), now = Date.now() / 1000 }) {
  const weights = weightsFor(table.weights, query.length);
  const scores = new Map();
  const add = (page, amount) => scores.set(page, (scores.get(page) ?? 0) + amount);
  for (const gain of gains) {
    for (const page of gain.having) add(page, gain.factor * sumOf(gain.shares(page), (share) => share));
  }
  const found = new Set(gains.filter((gain) => query.required.has(gain.term)).flatMap((gain) => [...gain.having]));
  const hidden = (page) => (table.expires[page] && table.expires[page] <= now) || (site && table.sites[table.site[page]] !== site);
  const excluded = (page) => query.excluded.some((steps) => hasInRow(steps, page, words, table));
  let pages = [...found].filter((page) => !hidden(page) && !excluded(page));
  addPriors(query, gains, pages, scores, table, analysis, weights, called);
  const lacking = new Set(pages.filter((page) => !query.phrases.every((steps) => hasInRow(steps, page, words, table))));
  if (pages.length - lacking.size >= ENOUGH) pages = pages.filter((page) => !lacking.has(page));
  const byScore = (one, other) =>
    lacking.has(one) - lacking.has(other) || scores.get(other) - scores.get(one) || one - other;
  pages.sort(byScore);
  const sections = new Map();
  const pairs = pairsOf(gains);
  for (const page of pages.slice(0, LOOKED_AT)) {
    add(page, sumOf(pairs, (pair) => nearness(pair, page, table, weights)));
    const inSections = sectionsOf(page, gains, table, weights);
    sections.set(page, inSections);
    if (inSections.length) add(page, weights.section * Math.max(...inSections.map((each) => each.brings)));
  }
  for (const page of pages) if (table.demoted[page] !== undefined) scores.set(page, scores.get(page) * table.demoted[page]);
  pages.sort(byScore);
  return { pages: unfolded(pages, table), scores, gains, sections, lacking };
}

// No stop word counts more than the commonest other word.
function limitIdf(gains) {
  const others = gains.filter((gain) => !gain.term.isStop).map((gain) => gain.idf);
  for (const gain of gains) if (gain.term.isStop && others.length) gain.idf = Math.min(gain.idf, ...others);
}

function addPriors(query, gains, pages, scores, table, analysis, weights, called) {
  const add = (page, amount) => scores.set(page, (scores.get(page) ?? 0) + amount);
  const asked = sumOf(gains, (gain) => gain.factor);
  const few = gains.length > 1 && gains.length <= MAX_ALL_WORDS;
  const language = analysis.languageOf(query.terms, Object.keys(table.spoken));
  const spoken = new Set(table.spoken[language] ?? []);
  for (const page of pages) {
    if (few && gains.every((gain) => gain.having.has(page))) add(page, weights.all_words * asked);
    const links = called.get(page) ?? 0;
    add(page, (weights.link_text * asked * links) / (links + HALF_CALLED));
    if (table.knowsLinks) add(page, weights.pagerank * Math.log1p(table.rank[page]));
    if (spoken.has(page)) add(page, weights.language);
  }
  for (const { page, naming, earned } of namedHomes(gains, table)) {
    if (!scores.has(page)) continue;
    const known = sumOf(naming, (gain) => gain.factor);
    add(page, weights.entrance * known * (asked ? Math.min(known / asked, 1) : 0) * earned);
  }
}

// Return the home pages of sites that terms name, {page, naming, earned}: these terms, and the share that links earn.
function namedHomes(gains, table) {
  const isIn = (gain, page, field) => gain.forms.some(({ postings }) => postings.field === field && postings.pages.includes(page));
  const isHeaded = (gain, page) => {
    const { start, heading } = table.sections(page)[0] ?? {};
    const isThere = (position) => start <= position && position < heading;
    return isIn(gain, page, table.homes.headed) && gain.positions(page, table.body).some(isThere);
  };
  const isNaming = (gain, page, labels) =>
    labels.includes(gain.term.text) || isIn(gain, page, table.homes.field) || isHeaded(gain, page);
  return table.homes.pages
    .map(([page, labels, earned]) => ({ page, naming: gains.filter((gain) => isNaming(gain, page, labels)), earned }))
    .filter(({ naming }) => naming.length);
}

function hasInRow(steps, page, words, table) {
  return table.fields.some((field, number) => {
    if (field.name === "template") return false;
    const lists = steps.map(([, word]) => [...words.variants(word).keys()].flatMap((form) => words.postings(form))
      .filter((postings) => postings.field === number));
    if (steps.length === 1) return lists[0].some((postings) => postings.pages.includes(page));
    const places = lists.map((several) => new Set(several.flatMap((postings) => [...postings.positions(page)])));
    return [...places[0]].some((place) => steps.every(([offset], at) => places[at].has(place + offset - steps[0][0])));
  });
}

// Return the neighbours of a query, each pair once.
function pairsOf(gains) {
  const order = gains.flatMap((gain) => gain.term.positions.map((place) => ({ place, gain })));
  order.sort((one, other) => one.place - other.place);
  const found = [];
  order.slice(1).forEach(({ place, gain: second }, at) => {
    const { place: here, gain: first } = order[at];
    const isKnown = found.some((pair) => pair.first === first && pair.second === second);
    if (first !== second && place > here && place - here <= MAX_GAP && !isKnown) found.push({ first, second, gap: place - here });
  });
  return found.slice(0, MAX_PAIRS);
}

// Return what two neighbours add to a page where they are near each other.
function nearness({ first, second, gap }, page, table, weights) {
  let [text, names] = [0, 0];
  table.fields.forEach((field, number) => {
    if (!field.positions) return;
    const near = nearTimes(first.positions(page, number), second.positions(page, number), gap) / table.norm(number, page);
    if (field.name === "anchors" || field.name === "title") names += field.called * near;
    else text += field.text * near;
  });
  const share = weights.near_text * saturation(text, weights.near) + weights.near_name * saturation(names, weights.near);
  return Math.max(first.idf, second.idf) * share;
}

function nearTimes(first, second, gap) {
  let [sum, next] = [0, 0];
  for (const place of first) {
    while (next < second.length && second[next] <= place) next += 1;
    const ahead = next < second.length ? second[next] - place : WINDOW + 1;
    let before = next - 1;
    while (before >= 0 && second[before] >= place) before -= 1;
    const behind = before >= 0 ? place - second[before] : WINDOW + 1;
    const forward = ahead <= WINDOW ? 1 / (1 + Math.abs(ahead - gap)) : 0;
    sum += Math.max(forward, behind <= WINDOW ? BACKWARD / behind : 0);
  }
  return sum;
}

// Return the sections of a page, {number, brings, whole, terms, named}: what each has beyond its page.
function sectionsOf(page, gains, table, weights) {
  const places = table.sections(page);
  const found = places.map((_, number) => ({ number, brings: 0, whole: 0, terms: 0, named: 0 }));
  for (const gain of places.length ? gains : []) {
    const [times, named] = [new Array(places.length).fill(0), new Array(places.length).fill(0)];
    let row = -1;
    for (const position of gain.positions(page, table.body)) {
      while (row + 1 < places.length && places[row + 1].start <= position) row += 1;
      if (row < 0 || position >= places[row].end) continue;
      times[row] += 1;
      if (position < places[row].heading) named[row] += 1;
    }
    const [ofPage, ofNames] = gain.shares(page);
    places.forEach(({ start, heading, end }, number) => {
      const norm = lengthNorm(Math.max(end - start, 1), USUAL_WORDS, weights.section_length);
      const headingNorm = lengthNorm(Math.max(heading - start, 1), USUAL_HEADING, weights.section_length);
      const text = saturation(times[number] / norm, weights.said);
      const asName = weights.section_name * saturation(named[number] / headingNorm, weights.called);
      const each = found[number];
      each.brings += gain.factor * (Math.max(text - ofPage, 0) + Math.max(asName - ofNames, 0));
      each.whole += gain.factor * (text + asName);
      each.terms += times[number] > 0;
      each.named += named[number] > 0;
    });
  }
  return found;
}

// Return the best page of each cluster of near copies, and all other pages.
function unfolded(pages, table) {
  const seen = new Set();
  return pages.filter((page) => {
    const cluster = table.cluster[page];
    if (!cluster) return true;
    return seen.has(cluster) ? false : seen.add(cluster);
  });
}

export { lengthNorm };
