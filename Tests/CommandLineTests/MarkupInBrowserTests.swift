import Foundation
import TestSupport
import Testing

/// The images that a browser chooses from the markup of a job.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Browser.isInstalled)) struct MarkupInBrowserTests {
    private let job: JobFolder

    init() async throws {
        job = try JobFolder()
        try job.folder.write(try TestImages.gradient(width: 2000, height: 100), to: "wide.png")
        try job.write(
            """
            "sources": [{"urls": [{"url": "wide.png", "id": "x"}]}],
            "outputs": [{"widths": [400, 800, 1600], "formats": ["webp", "jpeg"], "path": "{width}.{ext}",
              "markup": {"file": "images.json", "sizes": "50vw"}}]
            """
        )
        try await job.run()
        let index = try JSONSerialization.jsonObject(with: try job.data("out/images.json"))
        let entry = try #require((index as? [String: [String: Any]])?["x"])
        let picture = try #require(entry["picture"] as? String)
        // The browser's view is taken when the page has loaded, for which lazy images do not count.
        let eager = picture.replacing(#"loading="lazy""#, with: #"loading="eager""#)
        try job.folder.write("<!DOCTYPE html><body style='margin:0'>\(eager)</body>", to: "out/page.html")
    }

    @Test(
        "the width that fits the page and the density of the screen, in the first format that the browser reads",
        arguments: [
            (400, 1, "400.webp"), (800, 1, "400.webp"), (1600, 1, "800.webp"), (400, 2, "400.webp"),
            (800, 2, "800.webp"), (1600, 2, "1600.webp"),
        ]
    )
    func choice(width: Int, density: Int, image: String) async throws {
        let browser = Browser(folder: job.folder)
        let shown = try await browser.images(of: "out/page.html", width: width, density: density)
        #expect(shown == [image])
    }

    @Test("the fallback where no other format is read")
    func fallback() async throws {
        let page = String(decoding: try job.data("out/page.html"), as: UTF8.self)
        try job.folder.write(page.replacing("image/webp", with: "image/unknown"), to: "out/page.html")
        let browser = Browser(folder: job.folder)
        let shown = try await browser.images(of: "out/page.html", width: 800, density: 1)
        #expect(shown == ["400.jpg"])
    }
}
