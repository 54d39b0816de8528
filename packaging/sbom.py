#!/usr/bin/env python3
"""Writes the bill of materials of a package in SPDX 2.3 JSON: what the programs were built from.

    sbom.py --facts FILE --tree DIR --time SECONDS

FILE is the output of `ringfence --version --json`, DIR the tree that is packaged, SECONDS the time of
the commit. The same input gives the same bytes.
"""
import argparse
import datetime
import hashlib
import json
import pathlib
import re

SPDX_ID = re.compile(r"[^A-Za-z0-9.-]+")


def spdx_id(kind, name):
    return f"SPDXRef-{kind}-{SPDX_ID.sub('-', name)}"


def digest(path, algorithm):
    return hashlib.new(algorithm, path.read_bytes()).hexdigest()


def packaged_file(path, tree):
    name = str(path.relative_to(tree))
    return {
        "SPDXID": spdx_id("File", name),
        "fileName": f"./{name}",
        "fileTypes": ["BINARY" if name.startswith("bin/") else "DOCUMENTATION"],
        "checksums": [{"algorithm": "SHA1", "checksumValue": digest(path, "sha1")},
                      {"algorithm": "SHA256", "checksumValue": digest(path, "sha256")}],
        "licenseConcluded": "NOASSERTION",
        "copyrightText": "NOASSERTION",
    }


def library_package(library):
    package = {
        "SPDXID": spdx_id("Library", library["name"]),
        "name": library["name"],
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": library["licence"],
        "copyrightText": "NOASSERTION",
    }
    if library["version"]:
        package["versionInfo"] = library["version"]
        version = library["version"].replace(":", "%3A").replace("+", "%2B")
        kind = "deb" if library["distribution"] in ("debian", "ubuntu") else "rpm"
        package["externalRefs"] = [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator":
                f"pkg:{kind}/{library['distribution']}/{library['source']}@{version}?arch=source",
        }]
    return package


def verification_code(files):
    """The digest of a package's files, as section 7.9 of SPDX 2.3 defines it."""
    sums = sorted(file["checksums"][0]["checksumValue"] for file in files)
    return hashlib.sha1("".join(sums).encode()).hexdigest()


def relationship(element, kind, related):
    return {"spdxElementId": element, "relationshipType": kind, "relatedSpdxElement": related}


def document(facts, tree, seconds):
    files = [packaged_file(path, tree) for path in sorted(tree.rglob("*")) if path.is_file()]
    own = {
        "SPDXID": "SPDXRef-Package-ringfence",
        "name": "ringfence",
        "versionInfo": facts["version"],
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": True,
        "packageVerificationCode": {"packageVerificationCodeValue": verification_code(files)},
        "licenseConcluded": "Apache-2.0",
        "licenseDeclared": "Apache-2.0",
        "licenseInfoFromFiles": ["NOASSERTION"],
        "copyrightText": "NOASSERTION",
        "comment": f"git commit {facts['commit'] or 'unknown'}"
                   + (", with changes" if facts["modified"] else ""),
    }
    relationships = [relationship("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    relationships += [relationship(own["SPDXID"], "CONTAINS", file["SPDXID"]) for file in files]
    for library in facts["libraries"]:
        relationships += [
            relationship(spdx_id("File", f"bin/{program}"), "STATIC_LINK", spdx_id("Library", library["name"]))
            for program in library["programs"]]
    name = f"ringfence-{facts['version']}-linux-{facts['architecture']}"
    time = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{verification_code(files)}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Organization: ringfence", "Tool: sbom.py"]},
        "packages": [own] + [library_package(library) for library in facts["libraries"]],
        "files": files,
        "relationships": relationships,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=pathlib.Path, required=True)
    parser.add_argument("--tree", type=pathlib.Path, required=True)
    parser.add_argument("--time", type=int, required=True)
    options = parser.parse_args()
    facts = json.loads(options.facts.read_text(encoding="utf-8"))
    print(json.dumps(document(facts, options.tree, options.time), indent=2))


if __name__ == "__main__":
    main()
