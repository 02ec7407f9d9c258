/// The parts of the reference that no key describes.
extension ManifestReference {
    /// The beginning of the document.
    static let opening = """
        # Manifest reference

        <!-- Made from Sources/JobManifest/Keys. Regenerate with: NUKE_BATCH_RECORD=1 swift test --filter JobManifestTests -->

        A manifest is a JSON file that describes a job: the images, the outputs to make from them, and the limits to respect.
        Only `sources` is required.

        ```json manifest=shop.json
        \(example)
        ```

        `nuke-batch validate FILE` checks a manifest and reports all errors at once, each with its line, column and key. An
        unknown or duplicate key is an error. [`Jobs/manifest.schema.json`](../Jobs/manifest.schema.json) is the JSON Schema
        (draft 2020-12) for editors; name it in `$schema`.
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
            "`\"64KB\"`, `\"10GB\"` (powers of 1000), `\"64KiB\"`, `\"1GiB\"` (powers of 1024), or a number of bytes"
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
