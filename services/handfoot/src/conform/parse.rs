//! Takes a case file apart into cases and steps.
//!
//! **Invariant:** nothing is played here; a line that is not understood becomes a problem with its
//! number, and the cases that are understood are run all the same.

/// One case as written.
#[derive(Clone, Debug, Default)]
pub(super) struct Case {
    /// The line in which it begins, from 1.
    pub(super) line: usize,
    pub(super) name: String,
    /// Clauses of the rule book.
    pub(super) rules: Vec<String>,
    pub(super) sources: Vec<String>,
    /// What follows `rules`: a preset, players, team size.
    pub(super) rule_set: Vec<String>,
    /// Lines of TOML that change the rules.
    pub(super) overrides: String,
    /// Lines of the position, each at its place in the file, so that errors name the right line.
    pub(super) position: String,
    /// What follows `deal`, if the case starts with one.
    pub(super) deal: Option<Vec<String>>,
    pub(super) steps: Vec<Step>,
    /// The same case with one rule changed, each with steps of its own.
    pub(super) flips: Vec<Flip>,
}

/// The same rules but for one, and what then must come of the same beginning.
#[derive(Clone, Debug)]
pub(super) struct Flip {
    /// The line in which it begins, from 1.
    pub(super) line: usize,
    /// Lines of TOML that change the rule.
    pub(super) change: String,
    pub(super) steps: Vec<Step>,
}

/// One line of a case after its position.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The line, from 1.
    pub(super) line: usize,
    pub(super) what: What,
}

/// What a step does or asks.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// A seat acts; refused with this, or accepted.
    Do { seat: String, action: String, refused: Option<Refused> },
    /// The next round is dealt.
    DealNext,
    /// The last action was accepted.
    Accepted,
    /// An event of the last action, or none such.
    Event { line: String, wanted: Wanted },
    /// A fact of the position.
    Expect(String),
    /// An action is judged and not played.
    Check { seat: String, action: String, refused: Option<Refused> },
    /// An action is among those listed for a seat, or is not.
    Listed { seat: String, action: String, wanted: Wanted },
}

/// Whether something shall be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Yes,
    No,
}

/// A refusal that is expected.
#[derive(Clone, Debug)]
pub(super) struct Refused {
    /// None: whatever the reason.
    pub(super) reason: Option<String>,
    /// Values behind it, those that matter to the case.
    pub(super) values: Vec<(String, String)>,
}

const POSITION_KEYS: [&str; 32] = [
    "undo",
    "undos",
    "lays",
    "events",
    "round",
    "dealer",
    "turns",
    "turn",
    "round_over",
    "game_over",
    "stock",
    "discards",
    "aside",
    "buried",
    "commitment",
    "round_seed",
    "removed",
    "refills",
    "added",
    "passes",
    "refill_seed",
    "seed",
    "seat",
    "team",
    "meld",
    "laid",
    "laid_known",
    "way_out",
    "result",
    "score",
    "shown",
    "view",
];

const STEP: &str =
    "do, refused, ok, event, no event, expect, check, listed, not listed, deal or flip";
const BEGINNING: &str = "rule:, source:, note:, rules, set, deal, a line of a position, or a step";

/// The cases of a file, and what is wrong with its lines.
pub(super) fn cases(text: &str) -> (Vec<Case>, Vec<(usize, String)>) {
    let mut cases: Vec<Case> = Vec::new();
    let mut problems = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (key, rest) = split(line);
        if key == "case" {
            let name = rest.to_owned();
            if name.is_empty() {
                problems.push((number, "expected a name after case".to_owned()));
            }
            cases.push(Case { line: number, name, ..Case::default() });
            continue;
        }
        let Some(case) = cases.last_mut() else {
            problems.push((number, format!("expected case and a name, found {}", short(key))));
            continue;
        };
        if let Err(what) = case.read_line(number, line) {
            problems.push((number, what));
        }
    }
    if cases.is_empty() && problems.is_empty() {
        problems.push((0, "expected a line that begins with case".to_owned()));
    }
    for case in &cases {
        let flips = case.flips.iter().map(|flip| (flip.line, &flip.steps));
        for (line, steps) in std::iter::once((case.line, &case.steps)).chain(flips) {
            if steps.is_empty() {
                let name = short(&case.name);
                problems.push((line, format!("{name}: has no step; expected {STEP}")));
            }
        }
        if case.rules.is_empty() {
            problems
                .push((case.line, format!("{}: expected a line rule: HF-…", short(&case.name))));
        }
    }
    (cases, problems)
}

impl Case {
    fn read_line(&mut self, number: usize, line: &str) -> Result<(), String> {
        let (key, rest) = split(line);
        let list = || rest.split([',', ' ']).filter(|word| !word.is_empty()).map(str::to_owned);
        match key {
            "rule:" => self.rules.extend(list()),
            "source:" => self.sources.extend(list()),
            "note:" => {}
            "rules" if self.steps.is_empty() && self.rule_set.is_empty() => {
                self.rule_set = list().collect();
            }
            "set" if self.steps.is_empty() => {
                self.overrides.push_str(rest);
                self.overrides.push('\n');
            }
            "flip" if !self.steps.is_empty() && rest.contains('=') => self.flip(number, rest),
            "deal" if self.steps.is_empty() && self.deal.is_none() && !rest.is_empty() => {
                self.deal = Some(list().collect());
            }
            _ if self.steps.is_empty() && POSITION_KEYS.contains(&key) => {
                let have = self.position.matches('\n').count();
                self.position.push_str(&"\n".repeat(number.saturating_sub(have + 1)));
                self.position.push_str(line);
                self.position.push('\n');
            }
            _ => return self.read_step(number, key, rest),
        }
        Ok(())
    }

    /// Begins a flip, or carries one on that has no steps yet.
    fn flip(&mut self, line: usize, rest: &str) {
        match self.flips.last_mut() {
            Some(flip) if flip.steps.is_empty() => flip.change.push_str(&format!("\n{rest}")),
            Some(_) | None => {
                self.flips.push(Flip { line, change: rest.to_owned(), steps: Vec::new() });
            }
        }
    }

    fn read_step(&mut self, line: usize, key: &str, rest: &str) -> Result<(), String> {
        let what = match (key, split(rest)) {
            ("do", (seat, action)) => {
                What::Do { seat: seat.to_owned(), action: action.to_owned(), refused: None }
            }
            ("refused", _) => return self.refuse_last(rest),
            ("ok", _) if rest.is_empty() => What::Accepted,
            ("event", _) if !rest.is_empty() => {
                What::Event { line: rest.to_owned(), wanted: Wanted::Yes }
            }
            ("no", ("event", line)) if !line.is_empty() => {
                What::Event { line: line.to_owned(), wanted: Wanted::No }
            }
            ("expect", _) if !rest.is_empty() => What::Expect(rest.to_owned()),
            ("check", (seat, asked)) => {
                let (action, answer) = asked
                    .split_once("->")
                    .ok_or("expected check, a seat, an action, -> and ok or a reason")?;
                let refused = match answer.trim() {
                    "ok" => None,
                    "refused" => Some(refused("")?),
                    "" => return Err("expected ok, refused or a reason after ->".to_owned()),
                    answer => Some(refused(answer)?),
                };
                What::Check { seat: seat.to_owned(), action: action.trim().to_owned(), refused }
            }
            ("listed", (seat, action)) => What::Listed {
                seat: seat.to_owned(),
                action: action.to_owned(),
                wanted: Wanted::Yes,
            },
            ("not", ("listed", asked)) => {
                let (seat, action) = split(asked);
                let (seat, action) = (seat.to_owned(), action.to_owned());
                What::Listed { seat, action, wanted: Wanted::No }
            }
            ("deal", _) if rest.is_empty() => What::DealNext,
            _ => {
                let expected = if self.steps.is_empty() { BEGINNING } else { STEP };
                return Err(format!("expected {expected}, found {}", short(key)));
            }
        };
        self.last_steps().push(Step { line, what });
        Ok(())
    }

    /// The steps that a line of this place in the file belongs to.
    fn last_steps(&mut self) -> &mut Vec<Step> {
        match self.flips.last_mut() {
            Some(flip) => &mut flip.steps,
            None => &mut self.steps,
        }
    }

    fn refuse_last(&mut self, text: &str) -> Result<(), String> {
        match self.last_steps().last_mut() {
            Some(Step { what: What::Do { refused: refusal @ None, .. }, .. }) => {
                *refusal = Some(refused(text)?);
                Ok(())
            }
            Some(_) | None => Err("refused must follow the line do".to_owned()),
        }
    }
}

/// What follows `refused`: a reason with values, or nothing.
fn refused(text: &str) -> Result<Refused, String> {
    let (reason, rest) = split(text);
    if reason.is_empty() {
        return Ok(Refused { reason: None, values: Vec::new() });
    }
    if !reason.chars().all(|c| c.is_ascii_uppercase() || c == '_') {
        return Err(format!(
            "expected ok, refused or a reason in capitals, found {}",
            short(reason)
        ));
    }
    let value = |word: &str| match word.split_once('=') {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err(format!("expected name=value after the reason, found {}", short(word))),
    };
    let values: Result<Vec<_>, String> = rest.split_whitespace().map(value).collect();
    Ok(Refused { reason: Some(reason.to_owned()), values: values? })
}

/// The first word, and what follows it.
pub(super) fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    match text.split_once(char::is_whitespace) {
        Some((first, rest)) => (first, rest.trim()),
        None => (text, ""),
    }
}

/// A word as a message repeats it.
pub(super) fn short(text: &str) -> String {
    let cut: String = text.chars().take(40).collect();
    format!("{cut:?}")
}
