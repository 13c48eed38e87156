//! What Prometheus reads, against what is said of it.

use std::collections::{BTreeMap, BTreeSet};

use handfoot_telemetry::{Definition, Values};

/// One family of numbers as it is shown.
#[derive(Debug, Default)]
pub(super) struct Family {
    pub(super) kind: String,
    pub(super) help: String,
    /// Every value of each label.
    pub(super) labels: BTreeMap<String, BTreeSet<String>>,
    pub(super) n_samples: usize,
}

/// Reads the text format.
pub(super) fn families(text: &str) -> BTreeMap<String, Family> {
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    for line in text.lines() {
        if let Some((name, help)) = line.strip_prefix("# HELP ").and_then(|l| l.split_once(' ')) {
            families.entry(name.to_owned()).or_default().help = help.to_owned();
        } else if let Some((name, kind)) =
            line.strip_prefix("# TYPE ").and_then(|l| l.split_once(' '))
        {
            families.entry(name.to_owned()).or_default().kind = kind.to_owned();
        } else {
            let (name, labels) = sample(line);
            let family = ["", "_bucket", "_sum", "_count"].iter().find_map(|end| {
                let name = name.strip_suffix(end).filter(|name| families.contains_key(*name))?;
                Some(name.to_owned())
            });
            let family = families.get_mut(&family.unwrap_or_else(|| panic!("{line}"))).unwrap();
            family.n_samples += 1;
            for (label, value) in labels.into_iter().filter(|(label, _)| label != "le") {
                family.labels.entry(label).or_default().insert(value);
            }
        }
    }
    families
}

/// Name and labels of a line.
fn sample(line: &str) -> (&str, Vec<(String, String)>) {
    let (name, rest) = line.split_once(['{', ' ']).unwrap();
    let Some((labels, _)) = rest.rsplit_once("} ").filter(|_| line[name.len()..].starts_with('{'))
    else {
        return (name, Vec::new());
    };
    let pairs = labels.split("\",").map(|pair| {
        let (label, value) = pair.split_once("=\"").unwrap();
        (label.to_owned(), value.trim_end_matches('"').to_owned())
    });
    (name, pairs.collect())
}

/// Where what is shown and what is said of it differ.
pub(super) fn differences(text: &str, said: &[&Definition]) -> Vec<String> {
    let mut shown = families(text);
    let mut problems = Vec::new();
    for definition in said {
        let Some(family) = shown.remove(definition.name) else {
            problems.push(format!("{} is not shown", definition.name));
            continue;
        };
        if family.kind != definition.kind.as_str() || family.help != definition.help {
            problems.push(format!("{}: {} {}", definition.name, family.kind, family.help));
        }
        if family.n_samples == 0 {
            problems.push(format!("{} has no number", definition.name));
        }
        let names: BTreeSet<&str> = definition.labels.iter().map(|label| label.name).collect();
        let found: BTreeSet<&str> = family.labels.keys().map(String::as_str).collect();
        if names != found {
            problems.push(format!("{}: labels {found:?}, not {names:?}", definition.name));
        }
        for label in definition.labels {
            let values = family.labels.get(label.name).cloned().unwrap_or_default();
            match label.values {
                Values::Of(known) => {
                    let unknown = values.iter().find(|value| !known.contains(&value.as_str()));
                    problems.extend(unknown.map(|value| {
                        format!("{}: {} may not be {value:?}", definition.name, label.name)
                    }));
                }
                Values::Described(_) => {}
            }
        }
    }
    problems.extend(shown.into_keys().map(|name| format!("nothing is said of {name}")));
    problems
}

#[test]
fn what_differs_is_noticed() {
    use handfoot_telemetry::{Kind, Label};
    const SAID: &Definition = &Definition {
        name: "a_total",
        kind: Kind::Counter,
        help: "A thing.",
        labels: &[Label { name: "end", values: Values::Of(&["good", "bad"]) }],
    };
    let text = "# HELP a_total A thing.\n# TYPE a_total counter\na_total{end=\"good\"} 1\n";
    assert_eq!(differences(text, &[SAID]), Vec::<String>::new());
    for (wrong, problem) in [
        (text.replace("counter", "gauge"), "a_total: gauge A thing."),
        (text.replace("A thing.", "Another."), "a_total: counter Another."),
        (text.replace("good", "table-7"), "a_total: end may not be \"table-7\""),
        (text.replace("end=", "table="), "a_total: labels {\"table\"}, not {\"end\"}"),
        (text.replace("a_total", "b_total"), "a_total is not shown"),
        (text.replace("a_total{end=\"good\"} 1\n", ""), "a_total has no number"),
    ] {
        let found = differences(&wrong, &[SAID]);
        assert!(found.iter().any(|found| found == problem), "{problem} is not in {found:?}");
    }
}
