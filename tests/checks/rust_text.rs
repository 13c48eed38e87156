//! Just enough of Rust's surface to check its style: comments and strings blanked, tokens, test
//! code, functions and attributes.
//!
//! **Invariant:** this is a reader of tokens, not a parser; it knows no types and expands no
//! macros. It must never fail on a file that compiles.

use super::tree::TextFile;

/// A Rust file (or one with the same comments and strings, such as a proto file), taken apart.
#[derive(Clone, Debug)]
pub(super) struct RustText {
    pub(super) file: TextFile,
    /// The text with comments, strings and character literals made blank; same lines.
    code: String,
    /// For each line, from 0: whether it is compiled for tests only.
    test_lines: Vec<bool>,
}

/// An identifier, a number, or one character of punctuation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    /// From 1.
    pub(super) line: usize,
}

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) name: String,
    /// Where `fn` stands, from 1.
    pub(super) line: usize,
    /// From that line to the closing brace, both included.
    pub(super) n_lines: usize,
}

impl RustText {
    /// Takes the text apart.
    pub(super) fn new(file: TextFile) -> RustText {
        let code = blank(&file.text);
        let mut test_lines = vec![is_test_path(&file.path); code.lines().count()];
        let all = tokens(&code);
        for (start, _) in test_items(&all) {
            let end = item_end(&all, start);
            let last = all.get(end).or(all.last()).map_or(0, |token| token.line);
            test_lines[all[start].line - 1..last].fill(true);
        }
        RustText { file, code, test_lines }
    }

    /// A file that is only in a test's mind.
    pub(super) fn sample(path: &str, text: &str) -> RustText {
        RustText::new(TextFile::sample(path, text))
    }

    /// Takes all Rust files apart, and marks those that only a `#[cfg(test)] mod` brings in.
    pub(super) fn all(files: &[TextFile]) -> Vec<RustText> {
        let rust = files.iter().filter(|file| file.extension() == "rs");
        let mut all: Vec<RustText> = rust.cloned().map(RustText::new).collect();
        let bases: Vec<String> = all.iter().flat_map(RustText::test_modules).collect();
        for text in &mut all {
            let stem = text.file.path.trim_end_matches(".rs");
            let inside =
                |base: &String| stem == base || text.file.path.starts_with(&format!("{base}/"));
            if bases.iter().any(inside) {
                text.test_lines.fill(true);
            }
        }
        all
    }

    /// The tokens of the code.
    pub(super) fn tokens(&self) -> Vec<Token<'_>> {
        tokens(&self.code)
    }

    /// Whether a line, from 1, is compiled for tests only.
    pub(super) fn is_test(&self, line: usize) -> bool {
        self.test_lines.get(line - 1).copied().unwrap_or(false)
    }

    /// Whether a generator wrote it: such files say so in their first lines.
    pub(super) fn is_generated(&self) -> bool {
        self.file.text.lines().take(5).any(|line| line.contains("@generated"))
    }

    /// Every function with a body, nested ones too.
    pub(super) fn functions(&self) -> Vec<Function> {
        let tokens = self.tokens();
        let mut functions = Vec::new();
        for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.text == "fn") {
            let Some(name) = tokens.get(at + 1).filter(|next| next.text != "(") else { continue };
            let Some(open) = body_start(&tokens, at) else { continue };
            let last = tokens[closing(&tokens, open).min(tokens.len() - 1)].line;
            functions.push(Function {
                name: name.text.to_owned(),
                line: token.line,
                n_lines: last - token.line + 1,
            });
        }
        functions
    }

    /// Every attribute, as its tokens between the brackets.
    pub(super) fn attributes<'a>(tokens: &'a [Token<'a>]) -> Vec<&'a [Token<'a>]> {
        let mut attributes = Vec::new();
        for (at, _) in tokens.iter().enumerate().filter(|(_, token)| token.text == "#") {
            let bang = tokens.get(at + 1).is_some_and(|token| token.text == "!");
            let open = at + 1 + usize::from(bang);
            if tokens.get(open).is_some_and(|token| token.text == "[") {
                attributes.push(&tokens[open + 1..closing(tokens, open).min(tokens.len())]);
            }
        }
        attributes
    }

    /// The modules in other files that are declared for tests only, as paths without extension.
    fn test_modules(&self) -> Vec<String> {
        let (folder, name) = self.file.path.rsplit_once('/').unwrap_or(("", &self.file.path));
        let base = match name {
            "lib.rs" | "main.rs" | "mod.rs" => folder.to_owned(),
            other => format!("{folder}/{}", other.trim_end_matches(".rs")),
        };
        let tokens = self.tokens();
        let mut modules = Vec::new();
        for (_, after) in test_items(&tokens) {
            let end = item_end(&tokens, after);
            let item = &tokens[after..end.min(tokens.len())];
            let Some(at) = item.iter().position(|token| token.text == "mod") else { continue };
            if tokens.get(end).is_some_and(|token| token.text == ";") && at + 1 < item.len() {
                modules.push(format!("{base}/{}", item[at + 1].text));
            }
        }
        modules
    }
}

/// Whether the tokens name this path, as `a::b` or within `a::{…}`. The path has two parts.
pub(super) fn path_lines(tokens: &[Token<'_>], first: &str, second: &str) -> Vec<usize> {
    let mut lines = Vec::new();
    for at in 0..tokens.len() {
        let texts = |n: usize| tokens.get(at + n).map_or("", |token| token.text);
        if texts(0) != first || texts(1) != ":" || texts(2) != ":" {
            continue;
        }
        let within = match texts(3) {
            "{" => &tokens[at + 4..closing(tokens, at + 3).min(tokens.len())],
            _ => &tokens[at + 3..(at + 4).min(tokens.len())],
        };
        lines.extend(within.iter().filter(|token| token.text == second).map(|token| token.line));
    }
    lines
}

/// The words of an identifier, in lower case: `FootTakenUp` and `FOOT_TAKEN_UP` have the same.
pub(super) fn words(identifier: &str) -> Vec<String> {
    let letters: Vec<char> = identifier.chars().collect();
    let mut words = vec![String::new()];
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|index| letters[index]);
        let after = letters.get(at + 1);
        let starts = letter.is_uppercase()
            && (before.is_some_and(|c| !c.is_uppercase())
                || after.is_some_and(|c| c.is_lowercase()));
        if starts || *letter == '_' {
            words.push(String::new());
        }
        if *letter != '_' {
            words.last_mut().expect("there is always a last word").extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a token can be an identifier.
pub(super) fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn is_test_path(path: &str) -> bool {
    let mut parts = path.split('/');
    parts.any(|part| matches!(part, "tests" | "tests.rs" | "benches"))
}

/// Where `#[cfg(test)]` stands: the index of its `#` and of the token after its `]`.
fn test_items(tokens: &[Token<'_>]) -> Vec<(usize, usize)> {
    let cfg = ["#", "[", "cfg", "(", "test", ")", "]"];
    let starts = 0..tokens.len().saturating_sub(cfg.len());
    let found = starts.filter(|at| (0..cfg.len()).all(|n| tokens[at + n].text == cfg[n]));
    found.map(|at| (at, at + cfg.len())).collect()
}

/// The index of the token that ends the item: its `;` or the `}` of its block.
fn item_end(tokens: &[Token<'_>], start: usize) -> usize {
    let mut at = start;
    while let Some(token) = tokens.get(at) {
        match token.text {
            ";" => return at,
            "{" => return closing(tokens, at),
            "(" | "[" => at = closing(tokens, at) + 1,
            _ => at += 1,
        }
    }
    at
}

/// The index of a function's `{`, if it has a body.
fn body_start(tokens: &[Token<'_>], start: usize) -> Option<usize> {
    let end = item_start(tokens, start);
    tokens.get(end).filter(|token| token.text == "{").map(|_| end)
}

fn item_start(tokens: &[Token<'_>], start: usize) -> usize {
    let mut at = start;
    while let Some(token) = tokens.get(at) {
        match token.text {
            ";" | "{" | "}" => return at,
            "(" | "[" => at = closing(tokens, at) + 1,
            _ => at += 1,
        }
    }
    at
}

/// The index of the bracket that closes the one at `open`, or the number of tokens.
fn closing(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    tokens.len()
}

fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    for (line, text) in (1..).zip(code.lines()) {
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let word = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            let (token, after) = rest.split_at(if word == 0 { first.len_utf8() } else { word });
            tokens.push(Token { text: token, line });
            rest = after.trim_start();
        }
    }
    tokens
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Replaces comments, strings and character literals by spaces; keeps every line break.
fn blank(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut code = String::with_capacity(text.len());
    let mut at = 0;
    while at < letters.len() {
        let end = literal_end(&letters, at);
        if end > at {
            code.extend(letters[at..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
            at = end;
            continue;
        }
        // Words are passed over whole, so that the `r` of `for` is not taken for a raw string.
        let start = at;
        at += 1;
        while is_word(letters[start]) && at < letters.len() && is_word(letters[at]) {
            at += 1;
        }
        code.extend(&letters[start..at]);
    }
    code
}

/// Where the comment, string or character literal that starts here ends; here, if none does.
fn literal_end(letters: &[char], at: usize) -> usize {
    let is = |n: usize, c: char| letters.get(at + n) == Some(&c);
    match letters[at] {
        '/' if is(1, '/') => find(letters, at, |rest| rest[0] == '\n'),
        '/' if is(1, '*') => comment_end(letters, at),
        '"' => quoted_end(letters, at, '"'),
        '\'' if is(1, '\\') || is(2, '\'') => quoted_end(letters, at, '\''),
        'b' if is(1, '\'') => quoted_end(letters, at + 1, '\''),
        'b' | 'c' if is(1, '"') => quoted_end(letters, at + 1, '"'),
        'b' | 'c' if is(1, 'r') => raw_end(letters, at, at + 2),
        'r' => raw_end(letters, at, at + 1),
        _ => at,
    }
}

fn find(letters: &[char], from: usize, is_end: impl Fn(&[char]) -> bool) -> usize {
    (from..letters.len()).find(|at| is_end(&letters[*at..])).unwrap_or(letters.len())
}

fn comment_end(letters: &[char], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    while at < letters.len() {
        match (letters[at], letters.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    letters.len()
}

fn quoted_end(letters: &[char], open: usize, quote: char) -> usize {
    let mut at = open + 1;
    while at < letters.len() && letters[at] != quote {
        at += if letters[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(letters.len())
}

/// The end of `r"…"` or `r#"…"#`; `start` if it is neither (a raw identifier, or just an `r`).
fn raw_end(letters: &[char], start: usize, hashes_from: usize) -> usize {
    let n_hashes = letters.iter().skip(hashes_from).take_while(|c| **c == '#').count();
    let open = hashes_from + n_hashes;
    if letters.get(open) != Some(&'"') {
        return start;
    }
    let close: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', n_hashes)).collect();
    let at = find(letters, open + 1, |rest| rest.starts_with(&close));
    (at + close.len()).min(letters.len())
}

#[test]
fn comments_strings_and_characters_are_blank() {
    let text = concat!(
        "a /* b /* c */ d */ e // f\n",
        "g \"h \\\" i\" 'j' '\\'' 'k: r#\"l \" m\"# n\n",
        "for r in br\"o\\\" { r#type } b\"p\" b'q' '\"'"
    );
    let code = blank(text);
    let left: Vec<&str> = tokens(&code).into_iter().map(|token| token.text).collect();
    let expected =
        ["a", "e", "g", "'", "k", ":", "n", "for", "r", "in", "{", "r", "#", "type", "}"];
    assert_eq!(left, expected);
}

#[test]
fn functions_are_measured_to_their_closing_brace() {
    let text = "fn a(f: fn(u8) -> u8) {\n  \"}\";\n  if x { y }\n}\ntrait T { fn b(&self); fn c<const N: usize>() -> [u8; { 3 }] { [0; 3] } }\n";
    let functions = RustText::sample("a.rs", text).functions();
    let summary: Vec<(&str, usize, usize)> =
        functions.iter().map(|f| (f.name.as_str(), f.line, f.n_lines)).collect();
    assert_eq!(summary, [("a", 1, 4), ("c", 5, 1)]);
}

#[test]
fn test_code_is_told_from_the_rest() {
    let parent =
        "mod a;\n#[cfg(test)]\nmod laws;\n#[cfg(test)]\nmod tests {\n    fn x() {}\n}\nfn y() {}\n";
    let files = [
        TextFile::sample("crates/x/src/lib.rs", parent),
        TextFile::sample("crates/x/src/a.rs", "fn a() {}\n"),
        TextFile::sample("crates/x/src/laws.rs", "fn b() {}\n"),
        TextFile::sample("crates/x/src/laws/deep.rs", "fn c() {}\n"),
        TextFile::sample("crates/x/tests/main.rs", "fn d() {}\n"),
    ];
    let all = RustText::all(&files);
    let marked: Vec<usize> = (1..=8).filter(|line| all[0].is_test(*line)).collect();
    assert_eq!(marked, [2, 3, 4, 5, 6, 7]);
    let whole: Vec<bool> = all[1..].iter().map(|text| text.is_test(1)).collect();
    assert_eq!(whole, [false, true, true, true]);
}

#[test]
fn paths_are_seen_in_full_and_in_groups() {
    let code = "use std::fs;\nuse std::{env, io::{Read, Write}};\nlet fs = my::fs;\n";
    let tokens = tokens(code);
    assert_eq!(path_lines(&tokens, "std", "fs"), [1]);
    assert_eq!(path_lines(&tokens, "std", "env"), [2]);
    assert_eq!(path_lines(&tokens, "std", "process"), [0; 0]);
}

#[test]
fn words_do_not_depend_on_the_case_of_the_identifier() {
    for identifier in ["foot_taken_up", "FOOT_TAKEN_UP", "FootTakenUp", "footTakenUp"] {
        assert_eq!(words(identifier), ["foot", "taken", "up"]);
    }
    assert_eq!(words("RPCError2"), ["rpc", "error2"]);
}
