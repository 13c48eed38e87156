//! Who may depend on whom: dependencies between packages point one way.
//!
//! **Invariant:** the table below is the only place where an edge is allowed. A package that is
//! not in it may not exist.

use super::metadata::{Dependency, DependencyKind, Package, packages};
use super::{Problem, expect_one, report};

/// What a package may name in its manifest.
enum May {
    /// These packages of the workspace, all of them further up in the table.
    Use(&'static [&'static str]),
    /// Every package: a program that ties all together, or tests.
    UseAll,
}

/// Every package, lowest first. Some are still to be written.
const LAYERS: [(&str, May); 19] = [
    ("handfoot-cards", May::Use(&[])),
    ("handfoot-rules", May::Use(&["handfoot-cards"])),
    ("handfoot-handbook", May::Use(&["handfoot-cards", "handfoot-rules"])),
    ("handfoot-view", May::Use(&["handfoot-cards", "handfoot-rules"])),
    ("handfoot-engine", May::Use(&["handfoot-cards", "handfoot-rules", "handfoot-view"])),
    (
        "handfoot-bots",
        May::Use(&["handfoot-cards", "handfoot-rules", "handfoot-view", "handfoot-engine"]),
    ),
    (
        "handfoot-test-kit",
        May::Use(&["handfoot-cards", "handfoot-rules", "handfoot-view", "handfoot-engine"]),
    ),
    (
        "handfoot-protocol",
        May::Use(&["handfoot-cards", "handfoot-rules", "handfoot-handbook", "handfoot-view"]),
    ),
    ("handfoot-config", May::Use(&[])),
    ("handfoot-telemetry", May::Use(&[])),
    (
        "handfoot-client",
        May::Use(&[
            "handfoot-cards",
            "handfoot-rules",
            "handfoot-view",
            "handfoot-protocol",
            "handfoot-telemetry",
        ]),
    ),
    ("handfoot-store", May::Use(&[])),
    (
        "handfoot-game-service",
        May::Use(&[
            "handfoot-cards",
            "handfoot-rules",
            "handfoot-handbook",
            "handfoot-view",
            "handfoot-engine",
            "handfoot-protocol",
            "handfoot-store",
            "handfoot-config",
            "handfoot-telemetry",
        ]),
    ),
    (
        "handfoot-bot-service",
        May::Use(&[
            "handfoot-cards",
            "handfoot-rules",
            "handfoot-view",
            "handfoot-bots",
            "handfoot-client",
            "handfoot-protocol",
            "handfoot-config",
            "handfoot-telemetry",
        ]),
    ),
    ("handfoot-processes", May::Use(&[])),
    ("handfoot", May::UseAll),
    ("handfoot-tests", May::UseAll),
    ("handfoot-load", May::UseAll),
    ("handfoot-faults", May::UseAll),
];

/// What the tests of a package may use besides, and the package itself may not.
const DEV_ONLY: [(&str, &str); 12] = [
    // Real Redis servers.
    ("handfoot-store", "handfoot-processes"),
    ("handfoot-game-service", "handfoot-processes"),
    // Games and random rule sets that tests of several packages share; no program has them in it.
    ("handfoot-engine", "handfoot-test-kit"),
    ("handfoot-protocol", "handfoot-test-kit"),
    // A gateway that speaks TLS before a server that does not.
    ("handfoot-client", "handfoot-test-kit"),
    ("handfoot-bot-service", "handfoot-test-kit"),
    // The laws of leaks and of folding, held over the bytes that are sent.
    ("handfoot-protocol", "handfoot-engine"),
    // Servers of which a test says what they answer: what they answer is a real game.
    ("handfoot-client", "handfoot-engine"),
    ("handfoot-bot-service", "handfoot-engine"),
    // Whole games of bots against the real service.
    ("handfoot-bot-service", "handfoot-game-service"),
    ("handfoot-bot-service", "handfoot-store"),
    // Replicas that come and go, as the client that others use sees them.
    ("handfoot-game-service", "handfoot-client"),
];

/// What is for tests only: no package may be built from it.
const FOR_TESTS: [&str; 1] = ["handfoot-test-kit"];

/// The packages that compute and do nothing else.
const PURE: [&str; 5] =
    ["handfoot-cards", "handfoot-rules", "handfoot-handbook", "handfoot-view", "handfoot-engine"];

/// What they may be built from besides each other: no clock, no I/O, no ambient randomness.
const PURE_MAY_USE: [&str; 9] =
    ["arrayvec", "chacha20", "hkdf", "hmac", "rand_core", "serde", "sha2", "thiserror", "toml"];

fn layer_problems(packages: &[Package]) -> Vec<Problem> {
    let ours: Vec<&Package> = packages.iter().filter(|package| package.is_ours).collect();
    let is_ours = |name: &str| name.starts_with("handfoot") || ours.iter().any(|p| p.name == name);
    let mut problems = Vec::new();
    for Package { name, dependencies, .. } in &ours {
        let Some((_, may)) = LAYERS.iter().find(|(listed, _)| listed == name) else {
            problems.push(format!("{name}: not in the table of layers; give it a place there"));
            continue;
        };
        for Dependency { name: used, kind } in dependencies {
            if FOR_TESTS.contains(&used.as_str()) && *kind != DependencyKind::Dev {
                problems.push(format!("{name}: may not be built from {used}"));
            }
        }
        let May::Use(allowed) = may else { continue };
        for dependency in dependencies.iter().filter(|dependency| is_ours(&dependency.name)) {
            let edge = (name.as_str(), dependency.name.as_str());
            let is_for_tests = dependency.kind == DependencyKind::Dev && DEV_ONLY.contains(&edge);
            if !allowed.contains(&dependency.name.as_str()) && !is_for_tests {
                problems.push(format!("{name}: may not depend on {}", dependency.name));
            }
        }
    }
    problems
}

fn purity_problems(packages: &[Package]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for package in packages.iter().filter(|package| PURE.contains(&package.name.as_str())) {
        for Dependency { name, kind } in &package.dependencies {
            let is_allowed = *kind == DependencyKind::Dev
                || name.starts_with("handfoot-")
                || PURE_MAY_USE.contains(&name.as_str());
            if !is_allowed {
                problems.push(format!("{}: may not be built from {name}", package.name));
            }
        }
    }
    problems
}

#[test]
fn dependencies_point_one_way() {
    report(&layer_problems(&packages()));
}

#[test]
fn the_pure_packages_are_built_from_little() {
    let packages = packages();
    let n_pure = packages.iter().filter(|package| PURE.contains(&package.name.as_str())).count();
    assert_eq!(n_pure, PURE.len(), "a pure package is gone, or has another name");
    report(&purity_problems(&packages));
}

#[test]
fn the_table_of_layers_allows_no_circle() {
    for (at, (name, may)) in LAYERS.iter().enumerate() {
        let May::Use(allowed) = may else { continue };
        for lower in *allowed {
            let is_above = LAYERS[..at].iter().any(|(listed, _)| listed == lower);
            assert!(is_above, "{name} may use {lower}, which is not above it in the table");
        }
    }
}

#[test]
fn an_edge_outside_the_table_is_noticed() {
    let package = |name: &str, dependencies: &[(&str, DependencyKind)]| Package {
        name: name.to_owned(),
        licence: None,
        is_ours: true,
        manifest_path: String::new(),
        dependencies: dependencies
            .iter()
            .map(|(name, kind)| Dependency { name: (*name).to_owned(), kind: *kind })
            .collect(),
    };
    let (normal, build, dev) = (DependencyKind::Normal, DependencyKind::Build, DependencyKind::Dev);

    let upward = package("handfoot-view", &[("handfoot-engine", dev), ("handfoot-cards", normal)]);
    expect_one(&layer_problems(&[upward]), "handfoot-view: may not depend on handfoot-engine");
    expect_one(&layer_problems(&[package("handfoot-spy", &[])]), "not in the table");
    report(&layer_problems(&[package("handfoot-protocol", &[("handfoot-engine", dev)])]));
    let leaky = package("handfoot-protocol", &[("handfoot-engine", normal)]);
    expect_one(&layer_problems(&[leaky]), "handfoot-protocol: may not depend on handfoot-engine");
    report(&layer_problems(&[package("handfoot-tests", &[("handfoot-engine", normal)])]));
    report(&layer_problems(&[package("handfoot-tests", &[("handfoot-test-kit", dev)])]));
    let built = package("handfoot", &[("handfoot-test-kit", normal)]);
    expect_one(&layer_problems(&[built]), "handfoot: may not be built from handfoot-test-kit");

    let clock = package("handfoot-rules", &[("tokio", normal), ("insta", dev), ("serde", normal)]);
    expect_one(&purity_problems(&[clock]), "handfoot-rules: may not be built from tokio");
    let tool = package("handfoot-cards", &[("cc", build)]);
    expect_one(&purity_problems(&[tool]), "handfoot-cards: may not be built from cc");
}
