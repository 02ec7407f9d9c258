import Foundation
import Imaging
import TestSupport
import Testing

/// Drawings that ask for other files, or for more than they are worth.
///
/// The child of a run ends what only the kernel's limits end: see `SVGTests`.
@Suite(.timeLimit(.minutes(5))) struct HostileSVGTests {
    private static let sides = "width='4' height='2'"
    /// A red picture beside the drawing, which would cover it.
    private let folder: TemporaryFolder
    private let picture: String

    init() throws {
        folder = try TemporaryFolder()
        let red = try Photographs.pattern(1, 1) { _, _ in [255, 0, 0, 255] }
        picture = "file://" + (try folder.write(try ImageEncoder.encode(red, as: .png()), to: "red.png"))
    }

    private func draw(_ content: String, before start: String = "") throws -> Image {
        try ImageDecoder.decode(
            Drawing.file(Self.sides, content, before: start),
            limits: Drawing.limits
        )
    }

    private func isEmpty(_ image: Image) throws -> Bool { try image.rgba().allSatisfy { $0 == 0 } }

    @Test("a picture in the drawing is shown, and one in another file is not, which is told")
    func pictures() throws {
        func image(_ target: String, _ name: String = "href") -> String {
            "<image width='4' height='2' preserveAspectRatio='none' \(name)='\(target)'/>"
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path("red.png"))).base64EncodedString()
        let inside = try draw(image("data:image/png;base64,\(bytes)"))
        #expect(try pixel(inside, x: 2, y: 1) == [255, 0, 0, 255] && inside.warnings.isEmpty)
        for target in [picture, String(picture.dropFirst(7)), "red.png", "http://127.0.0.1:9/red.png"] {
            for name in ["href", "xlink:href"] {
                let outside = try draw(image(target, name))
                #expect(try isEmpty(outside) && outside.warnings == [.externalReference], "\(target)")
            }
        }
    }

    @Test("no other way leads out of the drawing", .timeLimit(.minutes(1)))
    func references() throws {
        _ = try folder.write(
            "<svg xmlns='http://www.w3.org/2000/svg'><rect id='a' width='9' height='9'/></svg>",
            to: "a.svg"
        )
        let drawing = "file://" + folder.path("a.svg")
        _ = try folder.write("rect { fill: red }", to: "a.css")
        let sheet = "file://" + folder.path("a.css")
        for (content, warnings) in [
            ("<use href='\(drawing)#a'/>", [.externalReference]),
            (
                "<filter id='f'><feImage href='\(picture)'/></filter><g filter='url(#f)'/>",
                [.externalReference]
            ),
            ("<g fill='url(\(drawing)#a)'/>", []),
            ("<include xmlns='http://www.w3.org/2001/XInclude' href='\(drawing)'/>", []),
            (
                "<script href='\(drawing)'>document.documentElement.innerHTML = '&lt;rect width=\"9\" height=\"9\"/>'</script>",
                []
            ),
            (
                "<foreignObject width='4' height='2'><img xmlns='http://www.w3.org/1999/xhtml' src='\(picture)'/></foreignObject>",
                []
            ),
        ] as [(String, Set<ImageWarning>)] {
            let image = try draw(content)
            #expect(try isEmpty(image) && image.warnings == warnings, "\(content)")
        }
        for (content, start) in [
            ("<style>@import url('\(sheet)');</style>", ""),
            ("", "<?xml-stylesheet type='text/css' href='\(sheet)'?>"),
        ] {
            let black = try draw(content + "<rect width='4' height='2'/>", before: start)
            #expect(try pixel(black, x: 1, y: 1) == [0, 0, 0, 255], "\(content)\(start)")
        }
    }

    @Test(
        "entities of other files, and entities that grow, are refused",
        arguments: [
            "<!ENTITY x SYSTEM 'file:///etc/passwd'>", "<!ENTITY % p SYSTEM 'file:///etc/passwd'>%p;",
            "<!ENTITY a 'lol'>"
                + (1..<10).map { level in
                    let former = level == 1 ? "&a;" : "&a\(level - 1);"
                    return "<!ENTITY a\(level) '\(String(repeating: former, count: 10))'>"
                }.joined() + "<!ENTITY x '&a9;'>",
        ]
    )
    func entities(declared: String) {
        let error = #expect(throws: ImagingError.self) {
            try draw("<text y='2'>&x;</text>", before: "<!DOCTYPE svg [\(declared)]>")
        }
        #expect(error?.reason == .corrupt, "\(error!)")
    }

    @Test("elements that show one another without end, or too often, end")
    func repetition() throws {
        let loop = try draw("<g id='a'><use href='#b'/></g><g id='b'><use href='#a'/></g>")
        #expect(try isEmpty(loop))
        let levels = (1..<10).map { level in
            "<g id='u\(level)'>\(String(repeating: "<use href='#u\(level - 1)'/>", count: 10))</g>"
        }
        let error = #expect(throws: ImagingError.self) {
            try draw("<defs><rect id='u0' width='1' height='1'/>\(levels.joined())</defs><use href='#u9'/>")
        }
        #expect(error?.reason == .unsupported, "\(error!)")
    }

    @Test("a drawing that is cut, damaged, or nested deeper than any is not shown in part")
    func damaged() throws {
        let whole = String(
            decoding: Drawing.file(Self.sides, "<rect width='4' height='2'/><g></g>"),
            as: UTF8.self
        )
        let start = try #require(whole.firstIndex(of: ">"))
        for end in whole[whole.index(after: start)...].indices.dropLast() {
            let error = #expect(throws: ImagingError.self) {
                try ImageDecoder.decode(Data(whole[..<end].utf8), limits: Drawing.limits)
            }
            #expect(error?.reason == .corrupt, "\(error!)")
        }
        let groups = String(repeating: "<g opacity='.9'>", count: 100_000)
        let deep = #expect(throws: ImagingError.self) {
            try draw(groups + String(repeating: "</g>", count: 100_000))
        }
        #expect(deep?.reason == .corrupt, "\(deep!)")
        #expect(deep?.message.contains("\n") == false)
    }
}
