/// The keys of an output's `markup`.
enum MarkupKeys {
    static let file = KeyName(
        "file",
        "The file below the destination: a `.json` index of all items or, if it holds path variables, one `.html` snippet for each item."
    )
    .synonyms(["path", "to", "name", "output"])
    .holds(.filled, default: .required, example: "images.json")
    static let sizes = KeyName(
        "sizes",
        "The `sizes` attribute, which tells browsers how wide a page shows the image."
    )
    .holds(.filled, default: "100vw", example: "(min-width: 60em) 50vw, 100vw")
    static let alt = KeyName(
        "alt",
        "The column or variable with an item's text for the `alt` attribute, which is empty without one."
    )
    .synonyms(["text", "caption", "title", "description"])
    .holds(.filled, default: "alt", example: "title")
    static let baseURL = KeyName(
        "baseURL",
        "The URL of the destination, put before every path; without it, URLs are relative to the destination."
    )
    .synonyms(["base", "url", "prefix"])
    .holds(.filled, example: "https://cdn.example.com/img")
}

extension Markup {
    static let section = ManifestSection(
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
