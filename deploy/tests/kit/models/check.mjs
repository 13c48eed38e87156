// Holds objects against the models of Kubernetes and of its extensions.
//
// Reads a JSON list of objects, writes a JSON list of problems. The models know what the schemas of
// kubernetes-validate do not: values of enums, patterns, quantities, and the kinds of extensions.

import { readFileSync } from "node:fs";

const PACKAGES = {
  "gateway.networking.k8s.io": "@kubernetes-models/gateway-api",
  "keda.sh": "@kubernetes-models/keda",
  "monitoring.coreos.com": "@kubernetes-models/prometheus-operator",
};

const name = (object) => `${object.kind}/${object.metadata?.name}`;

async function modelOf(object) {
  const version = object.apiVersion ?? "";
  const from = PACKAGES[version.split("/")[0]] ?? "kubernetes-models";
  try {
    const found = await import(`${from}/${version}/${object.kind}`);
    return found[object.kind];
  } catch {
    return undefined;
  }
}

async function problemsOf(object) {
  const Model = await modelOf(object);
  if (!Model) return [`${name(object)}: no model of ${object.apiVersion} ${object.kind}`];
  try {
    new Model(object).validate();
    return [];
  } catch (error) {
    return [`${name(object)}: ${error.message}`];
  }
}

const objects = JSON.parse(readFileSync(0, "utf8"));
const problems = (await Promise.all(objects.map(problemsOf))).flat();
process.stdout.write(JSON.stringify(problems));
