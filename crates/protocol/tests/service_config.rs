//! The retry policy that is shipped with the contract names what the contract has.
//!
//! **Invariant:** only `UNAVAILABLE` is worth the same request again.

use handfoot_protocol::DESCRIPTORS;
use prost::Message;

use crate::files::contract;

#[test]
fn the_retry_policy_names_services_of_the_contract() {
    let text = std::fs::read_to_string(contract().join("service_config.json")).unwrap();
    let set = prost_types::FileDescriptorSet::decode(DESCRIPTORS).unwrap();
    let services: Vec<_> = set.file.iter().flat_map(|file| &file.service).collect();
    assert_eq!(services.len(), 5);
    for service in &services {
        let name = format!("\"handfoot.v1.{}\"", service.name());
        assert!(text.contains(&name), "{name} has no policy");
    }
    let quoted = |key: &str| {
        let key = format!("\"{key}\": \"");
        let parts = text.split(key.as_str()).skip(1);
        parts.map(|rest| rest.split('"').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for name in quoted("service") {
        let known = services.iter().any(|of| name == format!("handfoot.v1.{}", of.name()));
        assert!(known, "{name} is not in the contract");
    }
    for method in quoted("method") {
        assert!(services.iter().any(|of| of.method.iter().any(|m| m.name() == method)));
    }
    let policies = text.matches("\"retryPolicy\"").count();
    assert_eq!(text.matches("\"maxAttempts\": 4").count(), policies);
    assert_eq!(text.matches("\"UNAVAILABLE\"").count(), policies);
    assert_eq!(text.matches("retryableStatusCodes").count(), policies);
}
