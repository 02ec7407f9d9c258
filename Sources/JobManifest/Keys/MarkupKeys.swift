/// The keys of an output's `markup`.
enum MarkupKeys {
    static let file = Key(
        "file",
        .filled,
        default: .required,
        summary:
            "The file below the destination: a `.json` index of all items or, if it holds path variables, one `.html` snippet for each item.",
        example: "images.json",
        synonyms: ["path", "to", "name", "output"]
    )
    static let sizes = Key(
        "sizes",
        .filled,
        default: "100vw",
        summary: "The `sizes` attribute, which tells browsers how wide a page shows the image.",
        example: "(min-width: 60em) 50vw, 100vw"
    )
    static let alt = Key(
        "alt",
        .filled,
        default: "alt",
        summary:
            "The column or variable with an item's text for the `alt` attribute, which is empty without one.",
        example: "title",
        synonyms: ["text", "caption", "title", "description"]
    )
    static let baseURL = Key(
        "baseURL",
        .filled,
        summary:
            "The URL of the destination, put before every path; without it, URLs are relative to the destination.",
        example: "https://cdn.example.com/img",
        synonyms: ["base", "url", "prefix"]
    )
}

extension ManifestSection {
    static let markup = ManifestSection(
        "markup",
        title: "Markup",
        about: [
            "At the end of a run, nuke-batch writes `<picture>` elements for the images of an output; see "
                + "[Responsive images](web.md)."
        ],
        example: .output(
            """
            {
              "name": "photo",
              "widths": [320, 640],
              "formats": ["webp", "jpeg"],
              "markup": {"file": "images.json", "sizes": "(min-width: 60em) 50vw, 100vw"}
            }
            """
        ),
        keys: [MarkupKeys.file, MarkupKeys.sizes, MarkupKeys.alt, MarkupKeys.baseURL]
    )
}
