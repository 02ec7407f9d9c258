import Foundation
import TestSupport
import Testing

/// A headless Chromium that looks at pages in a folder.
struct Browser {
    /// The browser's view of a page.
    struct Look: Decodable {
        /// The width of the page, in CSS pixels.
        let width: Int
        let pictures: Int
        /// Pictures that do not show.
        let missing: Int
        /// The page's colour.
        let background: String
        /// The messages on its console: refused scripts and styles, errors.
        var complaints: [String] = []

        enum CodingKeys: CodingKey {
            case width, pictures, missing, background
        }
    }

    private static let path = "/usr/bin/chromium"

    static var isInstalled: Bool {
        FileManager.default.isExecutableFile(atPath: path)
    }

    let folder: TemporaryFolder

    /// Opens `page` in a frame of `width` pixels and measures it.
    func look(at page: String, width: Int, isDark: Bool = false) async throws -> Look {
        let (asked, complaints) = try await ask(
            page,
            width: width,
            """
            (() => {
              const pictures = [...page.images];
              return {
                width: page.documentElement.scrollWidth, pictures: pictures.length,
                missing: pictures.filter(i => !i.complete || !i.naturalWidth || !i.clientWidth).length,
                background: getComputedStyle(page.body).backgroundColor };
            })()
            """,
            isDark: isDark,
            as: Look.self
        )
        var look = asked
        look.complaints = complaints
        return look
    }

    /// The files that the images of `page` show in a frame of `width` CSS pixels, on a screen of this density.
    ///
    /// An image that is chosen anew loads after the page, on a busy machine later than the page is looked at: then it is asked again.
    func images(of page: String, width: Int, density: Int) async throws -> [String] {
        var images: [String] = []
        for _ in 1...10 {
            images = try await ask(
                page,
                width: width,
                #"[...page.images].map(i => i.complete && i.naturalWidth ? i.currentSrc.split("/").pop() : "")"#,
                options: ["--force-device-scale-factor=\(density)"],
                as: [String].self
            ).answer
            if !images.contains("") { break }
        }
        return images
    }

    /// Evaluates an expression about the document `page`, in a frame of `width` pixels.
    private func ask<Answer: Decodable>(
        _ page: String,
        width: Int,
        _ expression: String,
        options: [String] = [],
        isDark: Bool = false,
        as type: Answer.Type
    ) async throws -> (answer: Answer, complaints: [String]) {
        let name = "ask-\(width)-\(page.replacing("/", with: "-"))"
        try folder.write(
            """
            <body><iframe src="\(page)" style="border:0;width:\(width)px;height:800px"></iframe><script>
            onload = () => {
              const page = document.querySelector("iframe").contentDocument;
              document.body.textContent = "LOOK" + JSON.stringify(\(expression)) + "END";
            };
            </script></body>
            """,
            to: name
        )
        let seen = try await run(
            ["--allow-file-access-from-files", "--enable-logging=stderr", "--dump-dom"] + options,
            page: name,
            isDark: isDark
        )
        let json = try #require(seen.output.firstMatch(of: /LOOK(.*)END/)?.output.1, "\(seen.errors)")
        let answer = try JSONDecoder().decode(type, from: Data(json.utf8))
        return (answer, seen.errors.components(separatedBy: "\n").filter { $0.contains("CONSOLE") })
    }

    /// A PNG of the top of `page`.
    func screenshot(of page: String, width: Int, height: Int) async throws -> Data {
        _ = try await run(
            ["--screenshot=shot.png", "--window-size=\(width),\(height)"],
            page: page,
            isDark: false
        )
        return try Data(contentsOf: URL(fileURLWithPath: folder.path("shot.png")))
    }

    private func run(_ options: [String], page: String, isDark: Bool) async throws -> Program.Outcome {
        // Its sandbox refuses root, which containers of tests often are; the page is our own.
        let always = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
            "--user-data-dir=\(folder.path("chromium"))",
        ]
        let dark = isDark ? ["--blink-settings=preferredColorScheme=0"] : []
        return try await Program(
            path: Self.path,
            always + options + dark + ["file://\(folder.path(page))"],
            in: folder.path,
            // The path of its socket there must be shorter than those of tests can be (sun_path in unix(7)).
            environment: ["TMPDIR": "/tmp"]
        ).wait()
    }
}
