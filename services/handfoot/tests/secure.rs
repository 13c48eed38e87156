//! `handfoot play` at a server behind a gateway that ends TLS.
//!
//! **Invariant:** whatever is wrong is said in two lines, the second with the flag that mends it.

use std::io::Write;
use std::process::Stdio;

use handfoot_test_kit::{Authority, Front, Gateway, Validity};

use crate::kit::{command, file, run};
use crate::served::Served;

#[test]
fn a_person_sits_down_behind_a_gateway() {
    let served = Served::start("--bots --listen 127.0.0.1:0");
    let authority = Authority::new("the test's");
    let shown = authority.sign(&["games.test"], Validity::Now);
    let person = authority.sign(&["person"], Validity::Now);
    let behind = served.address.trim_start_matches("http://").parse().unwrap();
    let open = Front { identity: &shown, clients: None, protocols: &["h2"] };
    let gateway = Gateway::start(&open, behind);
    let asking = Gateway::start(&Front { clients: Some(&authority), ..open }, behind);
    let ca = file("secure-ca.pem", &authority.certificate());
    let (certificate, key) =
        (file("secure-me.pem", &person.certificate), file("secure-me.key", &person.key));
    let token = &served.platform_token;
    let play = |at: &Gateway, scheme: &str, flags: &str| {
        format!("play --players 2 --token {token} --connect {scheme}://{} {flags}", at.address())
    };
    let named = format!("--ca-file {ca} --server-name games.test");
    let whole = format!("{named} --client-certificate-file {certificate} --client-key-file {key}");
    for arguments in [play(&gateway, "https", &named), play(&asking, "https", &whole)] {
        let piped = || Stdio::piped();
        let mut child =
            command(&arguments).stdin(piped()).stdout(piped()).stderr(piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"hand\nquit\n").unwrap();
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{text}");
        assert!(text.contains("Your hand, ") && text.contains("Goodbye."), "{text}");
    }
    let stranger = file("secure-stranger.pem", &Authority::new("a stranger").certificate());
    run(&play(&gateway, "https", &format!("--ca-file {stranger} --server-name games.test")))
        .fails(69, &["signed by no authority that is trusted here", "try: --ca-file"]);
    run(&play(&gateway, "https", &format!("--ca-file {ca}")))
        .fails(69, &["not for 127.0.0.1 but for games.test", "try: --server-name"]);
    run(&play(&gateway, "http", "")).fails(69, &["speaks TLS there", "try: https://"]);
    run(&play(&asking, "https", &named))
        .fails(69, &["asks for a client certificate", "try: --client-certificate-file"]);
    let plain = format!("play --token {token} --connect https://{behind} {named}");
    run(&plain).fails(69, &["does not speak TLS there", "try: http://"]);
}

#[test]
fn files_for_tls_are_read_before_anything_is_connected_to() {
    let at = "play --token hfp_local.00 --connect https://127.0.0.1:1";
    let text = file("secure-text.pem", "no certificate");
    run(&format!("{at} --ca-file {text}.missing")).fails(66, &["--ca-file", "cannot be read"]);
    run(&format!("{at} --ca-file {text}")).fails(65, &["--ca-file", "BEGIN CERTIFICATE"]);
    let ca = file("secure-files-ca.pem", &Authority::new("the test's").certificate());
    let (one, other) = (
        Authority::new("one").sign(&["me"], Validity::Now),
        Authority::new("other").sign(&["me"], Validity::Now),
    );
    let certificate = file("secure-one.pem", &one.certificate);
    let key = file("secure-other.key", &other.key);
    run(&format!(
        "{at} --ca-file {ca} --client-certificate-file {certificate} --client-key-file {key}"
    ))
    .fails(65, &["--client-key-file", "does not belong to the certificate"]);
    run("play --token hfp_local.00 --connect 127.0.0.1:1 --server-name games.test")
        .fails(64, &["--server-name", "begin with https://"]);
}
