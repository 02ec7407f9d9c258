import Foundation
import Imaging
import Testing

/// The files that are taken for drawings, and the size that the root element gives them.
@Suite struct SVGRootTests {
    private static let namespace = "xmlns='http://www.w3.org/2000/svg'"

    @Test(
        "the size follows from width, height and viewBox as CSS sizes images",
        arguments: [
            ("width='40' height='20'", 40, 20), ("width='40px' height=' 20.4 '", 40, 20),
            ("width='1in' height='2.54cm'", 96, 96), ("width='25.4mm' height='101.6Q'", 96, 96),
            ("width='72pt' height='6pc'", 96, 96), ("width='2em' height='2ex'", 32, 16),
            ("width='+4e1' height='.5E2'", 40, 50),
            // One side, with proportions and without.
            ("width='40' viewBox='0 0 2 1'", 40, 20), ("height='40' viewBox='0 0 2 1'", 80, 40),
            ("width='40'", 40, 150), ("height='40'", 300, 40),
            // What depends on where the drawing is shown, or is nothing, counts as missing.
            ("width='100%' height='100%' viewBox='-5,-5, 30 10'", 30, 10),
            ("width='100%' height='20' viewBox='0 0 30 10'", 60, 20), ("width='100%' height='50%'", 300, 150),
            ("width='auto' height='-3'", 300, 150), ("width='0x20' height='1e999'", 300, 150),
            ("", 300, 150), ("viewBox='0 0 640 480'", 640, 480), ("viewBox='0 0 640'", 300, 150),
            ("viewBox='0 0 -6 4'", 300, 150), ("viewBox='0 0 nan inf'", 300, 150),
            // A part of a pixel is one.
            ("width='.2' height='20.5'", 1, 21),
        ]
    )
    func sizes(attributes: String, width: Int, height: Int) throws {
        let header = try ImageHeader.read(Data("<svg \(Self.namespace) \(attributes)/>".utf8))
        #expect(header.size == PixelSize(width: width, height: height))
        #expect(header.format == .svg && header.hasAlpha && header.orientation == .up)
    }

    @Test(
        "a drawing without an area is refused",
        arguments: ["width='0'", "height='0px'", "viewBox='0 0 0 4'"]
    )
    func empty(attributes: String) {
        let error = #expect(throws: ImagingError.self) {
            try ImageHeader.read(Data("<svg \(Self.namespace) \(attributes)/>".utf8))
        }
        #expect(error?.reason == .corrupt && error?.message.contains("no pixels") == true)
    }

    @Test("sides that no image has are told as limits, not computed with", arguments: ["1e300", "4e9"])
    func endless(side: String) throws {
        let header = try ImageHeader.read(Data("<svg \(Self.namespace) width='\(side)' height='1'/>".utf8))
        let error = #expect(throws: ImagingError.self) { try header.check(ImageLimits()) }
        #expect(error?.reason == .limits)
    }

    @Test("the root is found behind what XML allows before it, in each encoding")
    func starts() throws {
        let svg = "<svg \(Self.namespace) width='4' height='2'/>"
        let illustrator = """
            <?xml version="1.0" encoding="iso-8859-1"?>
            <!-- Generator: caf\u{e9} -->
            <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd" [<!ENTITY ns_svg "http://www.w3.org/2000/svg">]>
            <?xml-stylesheet href="a.css"?><svg xmlns="&ns_svg;" width="4" height="2"></svg>
            """
        let files = [
            Data(svg.utf8), Data("\u{feff}\(svg)".utf8), Data(" \n\t\(svg)".utf8),
            Data("<!--\(String(repeating: "x", count: 60_000))-->\(svg)".utf8),
            Data("<s:svg xmlns:s='http://www.w3.org/2000/svg' width='4' height='2'/>".utf8),
            try #require("\u{feff}\(svg)".data(using: .utf16LittleEndian)),
            try #require("\u{feff}\(svg)".data(using: .utf16BigEndian)),
            try #require(illustrator.data(using: .isoLatin1)),
            // What is cut or wrong behind the root is found when it is drawn.
            Data("\(svg.dropLast(2))><g".utf8),
        ]
        for file in files {
            #expect(ImageFormat(file) == .svg)
            #expect(ImageFormat((Data([1, 2]) + file).dropFirst(2)) == .svg)
            #expect(try ImageHeader.read(file).size == PixelSize(width: 4, height: 2))
        }
    }

    @Test("what has SVG in it, or looks like it, is none")
    func others() throws {
        let svg = "<svg \(Self.namespace)/>"
        for text in [
            "<svg/>", "<svg xmlns='http://www.w3.org/2000/SVG'/>", "<html><body>\(svg)</body></html>",
            "<g \(Self.namespace)/>", "<svg \(Self.namespace)", "<svg \(Self.namespace) width=4/>", "x\(svg)",
            "<", "",
            "<!--\(String(repeating: "x", count: 70_000))-->\(svg)", "{\"svg\": \"\(svg)\"}",
        ] {
            #expect(ImageFormat(Data(text.utf8)) == nil, "\(text.prefix(60))")
        }
    }

    /// A bomb in the root's own attributes meets the process of the run, which looks for the size there.
    @Test("entities that grow in the root's attributes are given up", .timeLimit(.minutes(1)))
    func entities() {
        let levels = (1..<10).map { level in
            "<!ENTITY a\(level) '\(String(repeating: "&a\(level - 1);", count: 10))'>"
        }
        let nested = "<!DOCTYPE svg [<!ENTITY a0 'lol'>\(levels.joined())]><svg \(Self.namespace) id='&a9;'/>"
        let long = String(repeating: "x", count: 30_000)
        let wide =
            "<!DOCTYPE svg [<!ENTITY a '\(long)'>]><svg \(Self.namespace) id='"
            + "\(String(repeating: "&a;", count: 8000))'/>"
        for text in [nested, wide] { #expect(ImageFormat(Data(text.utf8)) == nil) }
    }
}
