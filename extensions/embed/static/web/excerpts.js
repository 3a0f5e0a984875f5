// Which words of a page does a result show? The sentences around the place that has most terms of the query.

const WINDOW = 240; // characters of a snippet
const WORDS = 40; // about as many
const MAX_SECTIONS = 3, MAX_TITLE = 120;

// Return the position in the body of a page from which WORDS words have the terms that weigh most; 0: none is known.
export function bestPosition(page, gains, body) {
  const places = gains.flatMap((gain) => Array.from(gain.positions(page, body), (position) => ({ position, gain })));
  places.sort((one, other) => one.position - other.position);
  const weight = (gain, times) => (times ? gain.factor * (1 + times / 1000) : 0); // the same terms more often: a little more
  const inside = new Map();
  let [best, at, total, begin] = [0, 0, 0, 0];
  const move = (gain, by) => {
    const times = inside.get(gain) ?? 0;
    inside.set(gain, times + by);
    total += weight(gain, times + by) - weight(gain, times);
  };
  for (const { position, gain } of places) {
    move(gain, 1);
    while (position - places[begin].position > WORDS) move(places[begin++].gain, -1);
    if (total > best + 1e-9) [best, at] = [total, places[begin].position];
  }
  return at;
}

// Return the best part of a text as pieces [text, isMatch].
export function excerpt(text, matches, most = WINDOW) {
  const spans = [...matches];
  const [first, last] = bestSpan(spans, most);
  let start = sentenceStart(text, first, last, most);
  let end = Math.min(text.length, start + most);
  if (end < text.length) {
    const sentence = lastSentenceEnd(text, Math.max(last, start + most / 3), end);
    const blank = text.lastIndexOf(" ", end);
    end = sentence || (blank > last ? blank : end);
  }
  const cutBefore = start > 0 && !/[.!?。\n]\s*$/u.test(text.slice(Math.max(0, start - 3), start));
  const cutAfter = end < text.length && !/[.!?。]["')\]]*$/u.test(text.slice(start, end));
  const pieces = cutBefore ? [["… ", false]] : [];
  for (const [from, to] of spans) {
    if (from < start || to > end) continue;
    pieces.push([oneLine(text.slice(start, from)), false], [text.slice(from, to), true]);
    start = to;
  }
  pieces.push([oneLine(text.slice(start, end)).trimEnd() + (cutAfter ? " …" : ""), false]);
  return pieces.filter(([part]) => part);
}

const oneLine = (text) => text.replace(/\s+/gu, " ");

// Return the begin of the first and the end of the last match of the window with the most different matches.
function bestSpan(spans, most) {
  let best = [0, 0, 0, 0];
  spans.forEach(([start], at) => {
    const within = spans.slice(at).filter(([, end]) => end - start <= most * 0.8);
    const terms = new Set(within.map(([, , term]) => term)).size;
    if (terms > best[2] || (terms === best[2] && within.length > best[3] * 1.5)) best = [start, within.at(-1)?.[1] ?? start, terms, within.length];
  });
  return best;
}

function sentenceStart(text, first, last, most) {
  const before = text.slice(0, first);
  const found = Math.max(before.lastIndexOf("\n") + 1, ...[...before.matchAll(/[.!?]\s+|。/gu)].slice(-1).map((end) => end.index + end[0].length));
  if (last - found <= most) return found;
  const from = Math.max(found, first - Math.floor(most / 6));
  return from > found ? text.indexOf(" ", from) + 1 || first : found;
}

function lastSentenceEnd(text, from, to) {
  const ends = [...text.slice(from, to).matchAll(/[.!?]["')\]]*(?=\s)|。/gu)];
  return ends.length ? from + ends.at(-1).index + ends.at(-1)[0].length : 0;
}

// Return the sections of a page that answer, {url, title}, and whether the first is better than the page as a whole.
export function answeringSections(url, sections, rows, terms) {
  const ranked = rows.filter((row) => row.terms).sort((one, other) => other.whole - one.whole || one.number - other.number);
  const most = Math.max(0, ...ranked.map((row) => row.terms));
  const found = ranked.filter((row) => row.number && row.named && row.terms === most && sections[row.number]).slice(0, MAX_SECTIONS);
  const leads = found[0] && found[0] === ranked[0] && found[0].terms >= terms && found[0].brings > 0;
  const shown = found.map(({ number }) => {
    const [id, heading] = sections[number];
    const title = heading.trim();
    const fragment = id ? encodeURI(id).replaceAll("#", "%23") : `:~:text=${encodeURIComponent(title)}`;
    return { url: `${url.split("#")[0]}#${fragment}`, title: title.slice(0, MAX_TITLE) };
  });
  return { sections: shown, leads: leads ? shown[0].url : "" };
}
