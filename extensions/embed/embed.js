// A search box for pages of other sites: the element <breadcrumb-search>. docs/embed.md shows how to use it.
//
// What the element contains is a plain form, which works without this script. The script puts its own form and results
// into a shadow root, so that no style of the page changes them; CSS custom properties do (--breadcrumb-link and others).
// It asks /api/search and /api/suggest of the gateway that it was loaded from, or with the attribute `index` the files of
// a folder that `export --static` wrote. All text is set as text, never as markup.
"use strict";

(() => {
  const PAUSE = 120; // milliseconds after the last letter, before suggestions are asked for
  const script = document.currentScript?.src || location.href;
  const home = new URL(script).origin;
  let elements = 0;

  const STYLE = `
    :host { display: block; color-scheme: inherit; font: inherit; line-height: 1.5; color: var(--breadcrumb-ink, inherit); }
    * { box-sizing: border-box; }
    form { display: flex; gap: .5em; }
    input, button { font: inherit; color: inherit; padding: .45em .7em; min-height: 2.75em; border-radius: .4em;
      border: 1px solid var(--breadcrumb-line, color-mix(in srgb, currentColor 55%, transparent)); }
    input { flex: 1; min-width: 0; background: var(--breadcrumb-paper, Canvas); }
    button { cursor: pointer; background: var(--breadcrumb-button, transparent); }
    :focus-visible { outline: 3px solid var(--breadcrumb-focus, Highlight); outline-offset: 2px; }
    .status { margin: .6em 0; opacity: .85; }
    .status:empty { display: none; }
    ol { list-style: none; margin: 0; padding: 0; }
    ol > li { margin: 0 0 1.1em; overflow-wrap: anywhere; }
    h3 { font-size: 1.05em; margin: 0; }
    p { margin: .15em 0; }
    a { color: var(--breadcrumb-link, LinkText); }
    ul { margin: .3em 0 0; padding-inline-start: 1.2em; }
    .why { font-size: .85em; }
    mark { background: none; color: inherit; font-weight: bold; }
    [hidden] { display: none; }`;

  const made = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };
  const isLink = (url) => /^https?:\/\//i.test(url);
  const link = (url, text) => (isLink(url) ? made("a", { href: url, textContent: text, dir: "auto" }) : text);

  class BreadcrumbSearch extends HTMLElement {
    connectedCallback() {
      if (this.shadowRoot) return;
      this.page = 1;
      this.searches = 0;
      const root = this.attachShadow({ mode: "open" });
      const sheet = new CSSStyleSheet(); // a style element would need a permission of the page's policy
      sheet.replaceSync(STYLE);
      root.adoptedStyleSheets = [sheet];
      const words = this.getAttribute("label") || "Search";
      this.suggestions = made("datalist", { id: `suggestions-${++elements}` });
      this.box = made("input", { type: "search", name: "q", maxLength: 1000, autocomplete: "off", dir: "auto" });
      this.box.setAttribute("aria-label", words);
      this.box.setAttribute("list", this.suggestions.id);
      this.box.placeholder = this.getAttribute("placeholder") || "";
      this.form = made("form", {}, this.box, made("button", { type: "submit", textContent: words }), this.suggestions);
      this.form.setAttribute("role", "search");
      this.status = made("p", { className: "status" });
      this.status.setAttribute("role", "status");
      this.list = made("ol");
      this.more = made("button", { type: "button", textContent: "More results", hidden: true });
      root.append(this.form, this.status, this.list, this.more);
      this.form.addEventListener("submit", (event) => {
        event.preventDefault();
        this.search(1);
      });
      this.more.addEventListener("click", () => this.search(this.page + 1));
      this.box.addEventListener("input", () => {
        clearTimeout(this.waiting);
        this.waiting = setTimeout(() => this.suggest(), PAUSE);
      });
      root.addEventListener("keydown", (event) => this.move(event));
    }

    get gateway() {
      return (this.getAttribute("gateway") || home).replace(/\/+$/, "");
    }

    // The folder of an index without a server, "" if there is none; without a value that of this script.
    get folder() {
      const given = this.getAttribute("index");
      if (given === null) return "";
      return given ? new URL(`${given.replace(/\/*$/, "")}/`, document.baseURI).href : new URL(".", script).href;
    }

    // The search in that folder. After a failure the next query tries again.
    get engine() {
      const folder = this.folder;
      this.opening ??= import(`${folder}search.js`).then((module) => module.open(folder)).catch((error) => {
        this.opening = undefined;
        throw error;
      });
      return this.opening;
    }

    address(path, more) {
      const site = this.getAttribute("site");
      const fields = { q: this.box.value, ...(site && path !== "/api/suggest" ? { site } : {}), ...more };
      return `${this.gateway}${path}?${new URLSearchParams(fields)}`;
    }

    async suggest() {
      const typed = this.box.value;
      const searches = this.searches;
      if (!typed.trim()) return this.suggestions.replaceChildren();
      try {
        const queries = this.folder ? await (await this.engine).suggest(typed) : await this.suggested();
        const isLate = this.box.value !== typed || this.searches !== searches;
        if (!isLate) this.suggestions.replaceChildren(...queries.map((value) => made("option", { value })));
      } catch { /* without suggestions the box works as before */ }
    }

    async suggested() {
      const response = await fetch(this.address("/api/suggest"), { credentials: "omit" });
      return response.ok ? (await response.json())[1] : [];
    }

    async search(page) {
      clearTimeout(this.waiting);
      this.searches += 1;
      this.suggestions.replaceChildren();
      this.running?.abort();
      this.running = new AbortController();
      if (!this.box.value.trim()) return this.clear();
      const { signal } = this.running;
      const number = Number(this.getAttribute("results")) || 10;
      try {
        const found = await (this.folder ? this.searchFolder(page, number) : this.searchGateway(page, number, signal));
        if (!signal.aborted) this.show(found, page);
      } catch (error) {
        if (signal.aborted) return;
        if (page === 1) this.clear();
        const plain = made("a", { href: this.address("/search"), textContent: "Open the search page" });
        this.status.replaceChildren(`The search failed: ${error.message}. `, ...(this.folder ? [] : [plain]));
      }
    }

    async searchGateway(page, n, signal) {
      const response = await fetch(this.address("/api/search", { page, n }), { credentials: "omit", signal });
      const found = await response.json();
      if (!response.ok) throw new Error(found.error);
      return found;
    }

    async searchFolder(page, n) {
      return (await this.engine).search(this.box.value, { page, n, site: this.getAttribute("site") || "" });
    }

    show(found, page) {
      this.page = page;
      if (page === 1) this.list.replaceChildren();
      const first = this.list.children.length;
      const meant = found.spelling && `“${found.spelling.question}”`;
      const spelling = meant ? (found.spelling.applied ? `Results for ${meant}. ` : `Did you mean ${meant}? `) : "";
      const number = found.total === 1 ? "1 result" : `${found.total.toLocaleString()} results`;
      this.status.replaceChildren(found.total ? `${spelling}${number}.` : `No results for “${this.box.value}”.`);
      this.list.append(...found.hits.map((hit) => this.result(hit)));
      this.more.hidden = !found.hits.length || this.list.children.length + found.folded >= found.total;
      if (page > 1) this.list.children[first]?.querySelector("a")?.focus();
    }

    result(hit) {
      const item = made("li", { lang: hit.lang || "" }, made("h3", {}, link(hit.leads_to || hit.url, hit.title || hit.url)));
      if (hit.marked) {
        const parts = hit.marked.map(([text, isMatch]) => (isMatch ? made("mark", { textContent: text }) : text));
        item.append(made("p", { dir: "auto" }, ...parts));
      } else if (hit.snippet) item.append(made("p", { textContent: hit.snippet, dir: "auto" }));
      if (hit.sections?.length) {
        const sections = hit.sections.map((each) => made("li", {}, link(each.url, each.title)));
        item.append(made("ul", {}, ...sections));
      }
      if (this.folder) return item; // nobody is there to say why
      const why = made("a", { href: `${this.gateway}/why?${new URLSearchParams({ url: hit.url, q: this.box.value })}` });
      why.textContent = "Why?";
      why.setAttribute("aria-label", `Why is “${hit.title || hit.url}” here?`);
      item.append(made("p", { className: "why" }, why));
      return item;
    }

    clear() {
      this.status.replaceChildren();
      this.list.replaceChildren();
      this.more.hidden = true;
    }

    // The arrow keys go from the box through the titles and back; Escape clears the results.
    move(event) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const titles = [this.box, ...this.list.querySelectorAll("h3 a")];
      const place = titles.indexOf(event.composedPath()[0]);
      if (event.key === "Escape" && this.list.children.length) {
        this.clear();
        this.box.focus();
      } else if (step && place >= 0 && titles.length > 1 && !(place === 0 && this.suggestions.children.length)) {
        titles[Math.min(Math.max(place + step, 0), titles.length - 1)].focus();
      } else return;
      event.preventDefault();
    }
  }

  customElements.define("breadcrumb-search", BreadcrumbSearch);
})();
