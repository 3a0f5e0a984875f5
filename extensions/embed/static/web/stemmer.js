// The stem of an English word, for words that no page has: Snowball's English stemmer (snowballstem.org), as PyStemmer.
// Its rules: © 2001-2006 Martin Porter and Richard Boulton, BSD licence (package/third_party/snowball.txt).

const VOWEL = "[aeiouy]", PLAIN = "[^aeiouy]";
const SHORT_END = new RegExp(`(?:^${VOWEL}${PLAIN}|[^aeiouy]${VOWEL}[^aeiouywxY]|past)$`);
const DOUBLE = /(bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;
const WHOLE = {
  skis: "ski", skies: "sky", idly: "idl", gently: "gentl", ugly: "ugli", early: "earli", only: "onli", singly: "singl",
  sky: "sky", news: "news", howe: "howe", atlas: "atlas", cosmos: "cosmos", bias: "bias", andes: "andes",
};
const AFTER_S = new Set(["inning", "outing", "canning", "herring", "earring", "evening", "proceed", "exceed", "succeed"]);
const STEP_2 = [
  ["ization", "ize"], ["ational", "ate"], ["fulness", "ful"], ["ousness", "ous"], ["iveness", "ive"], ["tional", "tion"],
  ["biliti", "ble"], ["lessli", "less"], ["entli", "ent"], ["ation", "ate"], ["alism", "al"], ["aliti", "al"],
  ["ousli", "ous"], ["iviti", "ive"], ["fulli", "ful"], ["enci", "ence"], ["anci", "ance"], ["abli", "able"],
  ["izer", "ize"], ["ator", "ate"], ["alli", "al"], ["bli", "ble"], ["ogi", "og"], ["li", ""],
];
const STEP_3 = [
  ["ational", "ate"], ["tional", "tion"], ["alize", "al"], ["icate", "ic"], ["iciti", "ic"], ["ative", ""], ["ical", "ic"],
  ["ness", ""], ["ful", ""],
];
const STEP_4 = [
  "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion", "al", "er", "ic",
];

export function stem(given) {
  if (given.length <= 2) return given;
  if (Object.hasOwn(WHOLE, given)) return WHOLE[given];
  let word = given.replace(/^'/, "").replace(/^y/, "Y").replace(/([aeiouy])y/g, "$1Y");
  const [first, second] = regions(word);
  word = pluralEnding(word.replace(/'s?'?$/, ""));
  if (AFTER_S.has(word)) return word;
  word = pastEnding(word, first);
  word = word.replace(new RegExp(`(.${PLAIN})[yY]$`), "$1i");
  word = replaced(word, STEP_2, first, (end, left) =>
    end === "ogi" ? left.endsWith("l") : end === "li" ? /[cdeghkmnrt]$/.test(left) : true);
  word = replaced(word, STEP_3, first, (end, left) => end !== "ative" || left.length >= second);
  word = replaced(word, STEP_4.map((end) => [end, ""]), second, (end, left) => end !== "ion" || /[st]$/.test(left));
  const left = word.slice(0, -1);
  if (word.endsWith("e") && (left.length >= second || (left.length >= first && !SHORT_END.test(left)))) word = left;
  else if (word.endsWith("ll") && left.length >= second) word = left;
  return word.toLowerCase();
}

// Return where the two regions begin in which endings may be cut.
function regions(word) {
  const after = (from) => {
    const found = new RegExp(`${VOWEL}[^aeiouy]`).exec(word.slice(from));
    return found ? from + found.index + 2 : word.length;
  };
  const special = /^(?:gener|commun|arsen|past|univers|later|emerg|organ|inter)/.exec(word);
  const first = special ? special[0].length : after(0);
  return [first, after(first)];
}

function pluralEnding(word) {
  if (word.endsWith("sses")) return word.slice(0, -2);
  if (/(?:ied|ies)$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1);
  if (/(?:us|ss)$/.test(word) || !word.endsWith("s")) return word;
  return new RegExp(`${VOWEL}.+s$`).test(word) ? word.slice(0, -1) : word;
}

function pastEnding(word, first) {
  const long = /(?:eedly|eed)$/.exec(word);
  if (long) return long.index >= first ? `${word.slice(0, long.index)}ee` : word;
  const found = /(?:ingly|edly|ing|ed)$/.exec(word);
  const left = found && word.slice(0, found.index);
  if (!found || !new RegExp(VOWEL).test(left)) return word;
  if (/(?:at|bl|iz)$/.test(left)) return `${left}e`;
  if (found[0] === "ing" && /^[^aeiouy]y$/.test(left)) return `${left[0]}ie`; // lying, a lie
  if (DOUBLE.test(left)) return /^[aeo]..$/.test(left) ? left : left.slice(0, -1);
  return left.length <= first && SHORT_END.test(left) ? `${left}e` : left;
}

// Replace the longest of these endings, if it lies in the region that begins at `from` and `may` allows it.
function replaced(word, endings, from, may) {
  const found = endings.find(([end]) => word.endsWith(end));
  if (!found) return word;
  const left = word.slice(0, word.length - found[0].length);
  return left.length >= from && may(found[0], left) ? left + found[1] : word;
}
