/// The parts of the reference that no key describes.
extension ManifestReference {
    /// The beginning of the document.
    static let opening = """
        # Manifest reference

        <!-- Made from the keys in Sources/JobManifest. Regenerate with: NUKE_BATCH_RECORD=1 swift test --filter JobManifestTests -->

        A manifest is a JSON or YAML file that describes a job: the images, the outputs to make from them, and the limits to respect.
        Only `sources` is required.

        ```json manifest=shop.json
        \(example)
        ```

        `nuke-batch validate FILE` checks a manifest and reports all errors at once, each with its line, column and key. An
        unknown or duplicate key is an error. [`Jobs/manifest.schema.json`](../Jobs/manifest.schema.json) is the JSON Schema
        (draft 2020-12) for editors; name it in `$schema`.
        """

    /// The chapter on the languages of manifests.
    static let languages = """
        ## JSON and YAML

        A manifest in JSON may have `//` and `/* */` comments, and a comma after the last element.

        ```jsonc manifest=commented.json
        {
          // Everything in the folder.
          "sources": [{"files": "photos/*"}],
          "outputs": [
            {"name": "small", "processors": [{"resize": {"width": 160}}], "format": "webp"}, /* for the index */
          ]
        }
        ```

        Files named `.yaml` or `.yml` are YAML 1.1, as far as it says the same as JSON. Every key works in both.

        ```yaml manifest=commented.yaml
        # yaml-language-server: $schema=manifest.schema.json
        sources:
          - files: photos/*
        outputs:
          - name: small
            processors:
              - resize: {width: 160}
            format: webp
            path: "small/{stem}.{ext}" # braces need quotes
        ```

        - The first line tells editors with the YAML language server which schema to use.
        - Put text in quotes if it begins with a mark such as `*`, `{`, `#` or `@`, or contains `: ` or ` #`. Examples are
          `"*.jpg"`, `"{stem}.{ext}"` and `"#FFF"`.
        - Numbers are written as in JSON. Text that only some versions of YAML read as a number, such as `0777`, `1_000` or
          `10:30`, is an error without quotes. `yes`, `no`, `on` and `off` are text; write `true` or `false`.
        - Anchors, aliases, merge keys, tags, directives and further documents are errors. Share keys with `include`.

        The path `-` stands for standard input. It is read as JSON if it begins with `{`, otherwise as YAML. Its relative paths
        start from the working directory. The state needs a name: add the key `state` or the option `--state-file`.
        """

    /// A manifest of a dozen lines.
    package static let example = """
        {
          "sources": [{"files": "photos/**/*.{jpg,png}"}],
          "outputs": [
            {
              "name": "small",
              "processors": [{"resize": {"width": 320}}],
              "format": {"webp": {"quality": 75}},
              "path": "small/{stem}.{ext}"
            }
          ],
          "limits": {"memory": "2GiB"}
        }
        """

    /// The forms of values, by the types that the tables name.
    package static let types: [(name: String, form: String)] = [
        ("duration", "`\"250ms\"`, `\"30s\"`, `\"10m\"`, `\"2h\"`, `\"7d\"`"),
        ("duration range", "`\"1s..60s\"`, the shorter duration first"),
        (
            "size",
            "`\"64KB\"` or `\"64kB\"`, `\"10GB\"` (powers of 1000), `\"64KiB\"`, `\"1GiB\"` (powers of 1024), or a number of bytes"
        ),
        ("pixel count", "`\"100MP\"`, or a number"),
        ("rate", "`\"80/s\"`, `\"600/m\"`, `\"3600/h\"`"),
        ("colour", "`\"#RGB\"`, `\"#RRGGBB\"` or `\"#RRGGBBAA\"`"),
        ("opaque colour", "a colour without alpha"),
        ("gravity", "a compass point such as `\"northEast\"`, or a point; see [Gravity](#gravity)"),
    ]

    /// The chapter on the forms of values.
    static var values: String {
        let rows = types.map { "| \($0.name) | \($0.form) |" }
        return """
            ## Values

            | type | form |
            | --- | --- |
            \(rows.joined(separator: "\n"))

            In a manifest, relative paths start from the manifest's folder; on the command line, from the working directory.
            """
    }
}
