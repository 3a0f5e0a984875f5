// Which words does a text hold, and what does a query ask for? As the engine reads them: indexer/analysis/tokenizer.py,
// stemming.py and indexer/query/parser.py have the rules and their reasons.
//
// Of the operators a query has two here: "a phrase" and -exclusion. Everything else is words.

const MAX_TOKEN_CHARS = 64, MAX_NAME_CHARS = 512, MAX_NAME_PARTS = 12, MAX_JOINED = 3;
const MAX_QUERY_CHARS = 2000, MAX_QUERY_TERMS = 64, SHORT_QUERY = 4, PART_WEIGHT = 0.5, MAX_COMPOUNDS = 16;
const MAX_PHRASE_WORDS = 16, PRIME = 1811004864519280681n;
const HYPHENS = "\\-\u2010\u2011";
const LETTER = "\\p{L}", WORD = "[\\p{L}\\p{N}_]";
const SEPARATORS = new RegExp(`[\\s._+#${HYPHENS}]+`, "u");
const SMALL = `(?:(?![A-Z])${LETTER})`; // a letter that is no capital of ASCII
const PARTS = new RegExp(`[A-Z]+(?=[A-Z][a-z])|[A-Z]?${SMALL}+\\p{Nd}*|[A-Z]+\\p{Nd}*|\\p{Nd}+${SMALL}*|[\\p{L}\\p{N}]+`, "gu");
const CAMEL = new RegExp(`${SMALL}[A-Z]|[A-Z]{2}[a-z]`, "u");
const PLURAL = /[A-Z]{2,}s$/, SIGNED = /^(?:[-.]|.*[+#]$)/;
const ALPHABETIC = /^\p{L}+$/u;

export class Analysis {
  // `index` has the scripts without blanks, the signs after letters, and the stop words of the languages of the pages.
  constructor(index) {
    const word = `(?:(?![${index.unspaced}])${WORD})`;
    const letters = `${word}+(?:[${index.marks}]+${word}*)*`;
    const name = `${letters}(?:[.${HYPHENS}]${letters}){0,11}(?:\\+\\+|#(?!${WORD}))?(?:['\u2019]s(?!${WORD}))?`;
    const option = `(?<![\\p{L}\\p{N}_.+#)\\]${HYPHENS}])(?:--?|\\.)(?=[A-Za-z])${name}`;
    this.token = new RegExp(`[A-Za-z]+(?=[ \\n,;:)])|${name}|${option}|[${index.unspaced}]+`, "gu");
    this.unspaced = new RegExp(`^[${index.unspaced}]`, "u");
    this.stopWords = Object.fromEntries(
      Object.entries(index.stop_words).map(([language, words]) => [language, new Set(words.split(" "))]));
  }

  isUnspaced(text) {
    return this.unspaced.test(text);
  }

  isStopWord(word) {
    return Object.values(this.stopWords).some((words) => words.has(word));
  }

  // Return the words of a raw token, {text, offset, overlaps}, and its width in positions.
  analyze(raw) {
    const normal = raw.normalize("NFKC").replaceAll("\u00ad", "");
    return normal && this.isUnspaced(normal) ? ofRun(normal) : ofName(normal);
  }

  // Yield the words of a text with their places in it: {words, start, end}.
  *tokens(text) {
    for (const found of text.matchAll(this.token)) {
      const words = this.analyze(found[0]).parts.map((part) => part.text);
      yield { words, start: found.index, end: found.index + found[0].length };
    }
  }

  // Return the words that follow one another in a phrase, each with its offset.
  sequence(text, most = MAX_PHRASE_WORDS) {
    const steps = [];
    let position = 0;
    for (const [raw] of text.matchAll(this.token)) {
      const { parts, width } = this.analyze(raw);
      const whole = parts.at(-1);
      const inRow = whole?.overlaps && SIGNED.test(whole.text) ? [whole] : parts.filter((part) => !part.overlaps);
      steps.push(...inRow.map((part) => [position + part.offset, part.text]));
      position += width;
    }
    return steps.slice(0, most);
  }

  // Return the number of a whole text, as indexer/analysis/tokenizer.py computes it.
  textKey(text) {
    const words = this.sequence(text, Infinity).map(([, word]) => word).join(" ");
    const number = new TextEncoder().encode(words).reduce((sum, byte) => (sum * 256n + BigInt(byte)) % PRIME, 0n);
    return number.toString(16).padStart(16, "0");
  }

  // Return the terms of a text: {text, weight, isStop, positions, typed}; a word that comes twice is one of them.
  terms(text, from) {
    const found = [];
    let position = from;
    for (const [raw] of text.matchAll(this.token)) {
      const { parts, width } = this.analyze(raw);
      const longest = Math.max(0, ...parts.map((part) => part.text.length));
      for (const part of parts) {
        const unspaced = this.isUnspaced(part.text);
        if (part.overlaps && unspaced) continue; // single characters are for queries of one character
        const isPart = part.text.length < longest && !unspaced;
        const positions = part.overlaps ? [] : [position + part.offset];
        const isStop = this.isStopWord(part.text);
        const isWhole = unspaced || (!isPart && (part.overlaps || width === 1));
        const typed = isWhole ? [raw] : []; // not for a part of a name
        found.push({ text: part.text, weight: isPart ? PART_WEIGHT : 1, isStop, positions, unspaced, typed });
      }
      position += width;
    }
    return [found, position];
  }

  // Read a query; `words` looks words up: {load(texts), has(text), variants(text)}.
  async parse(text, words) {
    const [leaves, phrases, excluded] = [[], [], []];
    const clean = text.slice(0, MAX_QUERY_CHARS).replace(/[\p{Cc}\p{Cs}]+/gu, " ").replace(/[“”„‟]/g, '"');
    for (const [, minus, phrase, plain] of clean.matchAll(/((?<!\S)-(?=["\p{L}\p{N}_]))?(?:"([^"]*)"|([^\s"]+)|")/gu)) {
      if (phrase === undefined && plain === undefined) continue;
      const said = phrase ?? plain;
      const option = minus && phrase === undefined ? this.analyze(`-${said}`.match(this.token)?.[0] ?? "").parts.at(-1) : undefined;
      if (option?.text.startsWith("-")) await words.load([option.text]);
      if (option?.text.startsWith("-") && words.has(option.text)) leaves.push(`-${said}`);
      else if (minus) excluded.push(this.sequence(said));
      else {
        leaves.push(said);
        if (phrase !== undefined) phrases.push(this.sequence(said));
      }
    }
    let [terms, position] = [[], 0];
    for (const leaf of leaves) {
      const [found, after] = this.terms(leaf, position);
      [terms, position] = [[...terms, ...found], after];
    }
    const joined = this.#neighbours(terms);
    const inRow = [...phrases, ...excluded].flat().map(([, word]) => word);
    await words.load([...terms.map((term) => term.text), ...joined.map((term) => term.text), ...inRow]);
    terms = merged(terms, words).slice(0, MAX_QUERY_TERMS);
    for (const { text, parts } of joined.filter((each) => words.has(each.text))) {
      for (const { exact, variants } of terms.filter((term) => term.exact.some((word) => parts.includes(word)))) {
        for (const word of words.variants(text).keys()) if (!variants.has(word)) variants.set(word, false);
      }
    }
    const places = new Map(terms.flatMap((term) => term.positions.map((place) => [place, term.unspaced ? 0.5 : 1])));
    const telling = terms.filter((term) => !term.isStop);
    const required = telling.length ? telling : terms;
    const length = [...places.values()].reduce((sum, each) => sum + each, 0);
    return {
      terms,
      ranking: places.size <= SHORT_QUERY ? terms : required,
      required: new Set(required),
      typed: [...leaves.join(" ").matchAll(this.token)].map(([raw]) => raw),
      length,
      phrases: phrases.filter((steps) => steps.length).slice(0, 8),
      excluded: excluded.filter((steps) => steps.length),
    };
  }

  // Return two neighbours written together, another form of both if pages have it: "file name" as "filename".
  #neighbours(terms) {
    const found = [];
    let before;
    for (const term of terms.slice(0, MAX_COMPOUNDS)) {
      if (!term.positions.length || term.unspaced) continue;
      const text = before ? before.text + term.text : "";
      const follows = before && before.positions[0] + 1 === term.positions[0];
      if (follows && ALPHABETIC.test(text) && !before.isStop && !term.isStop) {
        found.push({ text, parts: [before.text, term.text] });
      }
      before = term;
    }
    return found;
  }

  // Return the language whose function words a query has, and no other language as many; "": it is unclear.
  languageOf(terms, spoken) {
    const counts = spoken.map((language) => {
      const words = this.stopWords[language] ?? new Set();
      return [new Set(terms.filter((term) => words.has(term.text)).map((term) => term.text)).size, language];
    }).sort((one, other) => other[0] - one[0]);
    return counts.length && counts[0][0] && counts[0][0] !== counts[1]?.[0] ? counts[0][1] : "";
  }
}

function ofRun(run) {
  const letters = [...run];
  if (letters.length === 1) return { parts: [{ text: run, offset: 0 }], width: 1 };
  const pairs = letters.slice(1).map((letter, at) => ({ text: letters[at] + letter, offset: at }));
  const singles = letters.map((text, at) => ({ text, offset: Math.min(at, pairs.length - 1), overlaps: true }));
  return { parts: [...pairs, ...singles], width: pairs.length };
}

function ofName(raw) {
  const word = raw.replace(/['\u2019]s$/, "");
  const segments = word.slice(0, MAX_NAME_CHARS).split(SEPARATORS).filter(Boolean).slice(0, MAX_NAME_PARTS);
  const parts = segments.flatMap((segment, offset) => {
    const humps = CAMEL.test(segment) && !PLURAL.test(segment) ? segment.match(PARTS).slice(0, MAX_NAME_PARTS) : [];
    const inside = humps.map((hump) => ({ text: hump.toLowerCase(), offset, overlaps: true }));
    return [{ text: segment.toLowerCase().slice(0, MAX_TOKEN_CHARS), offset }, ...inside];
  });
  const whole = segments.length ? wholeName(word.toLowerCase(), segments.length) : "";
  if (whole && whole !== parts[0].text) parts.push({ text: whole, offset: 0, overlaps: true });
  return { parts, width: segments.length };
}

function wholeName(word, parts) {
  const stripped = (text) => text.replace(/^_+|_+$/g, "").slice(0, MAX_TOKEN_CHARS);
  const joined = word.replace(/[-\u2010\u2011]/g, "");
  if (word.startsWith("-") || joined === word) return stripped(word);
  return parts <= MAX_JOINED && /\p{L}/u.test(joined) ? stripped(joined) : "";
}

// Join the terms that have the same forms: "run" and "running" are one term, which counts twice.
function merged(terms, words) {
  const found = new Map();
  for (const term of terms) {
    const variants = words.variants(term.text);
    const key = [...variants.keys()].sort().join(" ");
    const known = found.get(key);
    if (!known) found.set(key, { ...term, variants, exact: [term.text] });
    else {
      for (const [word, isExact] of variants) known.variants.set(word, known.variants.get(word) || isExact);
      known.exact.push(term.text);
      known.weight += term.weight;
      known.positions = [...known.positions, ...term.positions];
      known.typed = [...known.typed, ...term.typed];
    }
  }
  return [...found.values()];
}

const UMLAUTS = { ä: "ae", ö: "oe", ü: "ue", ß: "ss" };
const OTHER_LETTERS = { ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", æ: "ae", œ: "oe", ı: "i", ħ: "h", ё: "е", ß: "ss" };

// Return a small word without its accents.
export function folded(word) {
  const plain = word.normalize("NFD").replace(/\p{Mn}+/gu, "").replace(/[øłđðþæœıħёß]/g, (letter) => OTHER_LETTERS[letter]);
  return plain.normalize("NFC");
}

// Return the spellings under which the index may have the other forms of a word that no page has.
export function unknownForms(word, stem) {
  const forms = [folded(word), folded(word.replace(/[äöüß]/g, (letter) => UMLAUTS[letter]))];
  if (/^[a-z]+$/.test(folded(word))) forms.push(folded(stem(word)));
  return [...new Set(forms)].filter((form) => form && form !== word);
}
