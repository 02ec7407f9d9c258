import Files
import Foundation
import Imaging
import JobFixtures
import JobManifest
import JobPlanning
import TestSupport
import Testing

@testable import NukeBatch

@Suite(.timeLimit(.minutes(10))) struct RendererTests {
    private static let text = #"""
        {"sources": [{"urls": ["https://a.example/1.jpg"]}],
         "outputs": [
          {"name": "small", "format": "jpeg", "processors": [{"resize": {"width": 20}}]},
          {"name": "copy", "format": "original"},
          {"name": "large", "format": "png", "when": {"minWidth": 1000}},
          {"name": "webp", "format": "webp"},
          {"name": "outside", "format": "jpeg", "processors": [{"crop": {"rect": [500, 500, 10, 10]}}]}
         ]}
        """#

    private let job: RunningJob
    private let box: MemoryFile
    private let journal: InFlightJournal

    init() throws {
        job = try RunningJob(Self.text)
        box = try MemoryFile(size: InFlightJournal.oneSlotSize)
        journal = try InFlightJournal(box)
    }

    private func encoded(_ output: RenderedOutput) throws -> RenderedOutput.Encoded {
        guard case .encoded(let encoded) = output.result else {
            throw itemError("processing", "\(output.result)")
        }
        return encoded
    }

    private func failure(_ plan: OutputPlan, of data: Data, by renderer: Renderer) async -> ItemError? {
        do throws(ItemError) {
            _ = try await renderer.render(plan, from: original(data), of: 7)
            return nil
        } catch {
            return error
        }
    }

    @Test("every output is made of the same decode, in the order of the plan")
    func outputs() async throws {
        let source = original(try pngFile(200, 100))
        let plan = try job.manifest.plan(["copy", "small", "large"], facts: [.size, .dominantColor])
        let rendering = try await renderer(journal).render(plan, from: source, of: 7)
        #expect(rendering.outputs.map(\.recipe.output.name) == ["copy", "small", "large"])
        let copy = try encoded(rendering.outputs[0])
        #expect(copy.data == source.data && copy.sha256 == source.sha256 && copy.encoder == nil)
        #expect(copy.size == PixelSize(width: 200, height: 100) && copy.format.fileExtension == "png")
        let small = try encoded(rendering.outputs[1])
        #expect(small.size == PixelSize(width: 20, height: 10) && small.format.fileExtension == "jpg")
        #expect(try ImageHeader.read(small.data).size == small.size)
        #expect(small.sha256 == Digest.sha256.hex(of: small.data))
        #expect(small.encoder == ImageEncoder.version(of: .jpeg()))
        guard case .skipped("narrower than 1000 pixels") = rendering.outputs[2].result else {
            Issue.record("\(rendering.outputs[2].result)")
            return
        }
        #expect(rendering.bytes == small.data.count)
        #expect(rendering.facts?[.size]?.text == #"{"height":100,"width":200}"#)
        #expect(rendering.facts?[.dominantColor] != nil)
    }

    @Test("each stage is noted with the memory of the whole work, and no stage after the end")
    func stages() async throws {
        let plan = try job.manifest.plan(["small", "copy", "webp"], facts: [.dominantColor])
        let source = original(try pngFile(200, 100))
        let stages = Recorded<RenderPhase?>()
        let bytes = Recorded<Int>()
        let renderer = renderer(journal) { [box] held, _ in
            stages.add(InFlightJournal.phase(in: box))
            bytes.add(held)
        }
        _ = try await renderer.render(plan, from: source, of: 7)
        #expect(stages.all == [.decode, .process, .process, .encode, .process, .encode])
        let need = try #require(try DecodeNeed(plan, ImageHeader.read(source.data)))
        #expect(Set(bytes.all) == [need.bytes])
        #expect(InFlightJournal.phase(in: box) == nil)
    }

    @Test("an output that cannot be encoded leaves the others alone")
    func oneFails() async throws {
        // WebP has no more than 16,383 pixels a side.
        let source = original(try pngFile(16_384, 1))
        let plan = try job.manifest.plan(["webp", "small"])
        let rendering = try await renderer(journal).render(plan, from: source, of: 7)
        guard case .failed(let error) = rendering.outputs[0].result else {
            Issue.record("\(rendering.outputs[0].result)")
            return
        }
        #expect(error.code == .limits && error.handling == .permanent)
        #expect(try encoded(rendering.outputs[1]).size == PixelSize(width: 20, height: 1))
    }

    @Test(
        "an output that cannot be made of an image of this size leaves the others alone",
        arguments: [["outside", "small", "copy"], ["outside", "copy"], ["outside"]]
    )
    func impossible(names: [String]) async throws {
        let source = original(try pngFile(200, 100))
        let plan = try job.manifest.plan(names, facts: [.size])
        let rendering = try await renderer(journal).render(plan, from: source, of: 7)
        #expect(rendering.outputs.map(\.recipe.output.name) == names && rendering.facts?[.size] != nil)
        guard case .failed(let error) = rendering.outputs[0].result else {
            Issue.record("\(rendering.outputs[0].result)")
            return
        }
        #expect(error.code == .processing && error.handling == .permanent)
        for output in rendering.outputs.dropFirst() { _ = try encoded(output) }
    }

    @Test("an image that takes more memory than there is, is refused; one that takes all of it is not")
    func memory() async throws {
        let data = try pngFile(200, 100)
        let plan = try job.manifest.plan(["webp"])
        let need = try #require(try DecodeNeed(plan, ImageHeader.read(data)))
        let tight = renderer(journal, memory: need.decodeBytes)
        #expect(await failure(plan, of: data, by: tight) == nil)
        let error = await failure(plan, of: data, by: renderer(journal, memory: need.decodeBytes - 1))
        #expect(error?.code == .limits)
        #expect(error?.message.contains("raise limits.memory") == true)
        // No pixels, no memory.
        let copies = try job.manifest.plan(["copy", "large"], facts: [.format])
        let rendering = try await renderer(journal, memory: 0).render(copies, from: original(data), of: 7)
        #expect(try encoded(rendering.outputs[0]).data == data)
        #expect(rendering.facts?.json == #"{"format":"png"}"#)
    }

    @Test("a damaged file that takes more memory than a sound one is rendered once that memory is there")
    func damaged() async throws {
        let source = try ImageDecoder.decode(pngFile(1600, 1200))
        let file = try ImageEncoder.encode(source, as: .jpeg(JPEGOptions(progressive: true)))
        let cut = file.dropLast(2)
        let plan = try job.manifest.plan(["small"])
        let header = try ImageHeader.read(file)
        let sound = try #require(try DecodeNeed(plan, header))
        let most = try #require(try DecodeNeed(plan, header, isUnusual: true))
        #expect(await failure(plan, of: file, by: renderer(journal, memory: sound.bytes)) == nil)
        if most.decodeBytes > sound.bytes {  // not where libjpeg decodes all files
            let error = await failure(plan, of: cut, by: renderer(journal, memory: most.decodeBytes - 1))
            #expect(error?.code == .limits && error?.message.contains("raise limits.memory") == true)
        }
        let error = await failure(plan, of: cut, by: renderer(journal, memory: most.bytes))
        #expect(error?.code == .corrupt)
    }

    @Test(
        "a copy of an original whose end may be missing is decoded once, to see that it is not",
        arguments: [(false, false, true), (false, true, false), (true, false, false), (true, true, false)]
    )
    func cutOff(isLengthProven: Bool, isWhole: Bool, isRefused: Bool) async throws {
        let file = try ImageEncoder.encode(try ImageDecoder.decode(pngFile(400, 300)), as: .jpeg())
        let data = isWhole ? file : file.prefix(file.count * 3 / 4)
        let source = original(Data(data), isLengthProven: isLengthProven)
        let plan = try job.manifest.plan(["copy"])
        do throws(ItemError) {
            let rendering = try await renderer(journal).render(plan, from: source, of: 7)
            #expect(!isRefused && (try? encoded(rendering.outputs[0]).data) == source.data)
        } catch {
            #expect(isRefused && error.code == .truncated && error.handling == .retry(atMost: 2), "\(error)")
        }
        #expect(InFlightJournal.phase(in: box) == nil)
        // Without memory for that, it is copied as it is.
        guard isLengthProven || isWhole else { return }
        _ = try await renderer(journal, memory: 0).render(plan, from: source, of: 7)
    }

    @Test(
        "an animation or a drawing whose end is missing is not copied, unless that is all there is",
        arguments: ["animated.gif", "animated.webp", "animated.png", "animated.avif", "shapes.svg"]
    )
    func cutOffBehindTheFirstFrame(_ name: String) async throws {
        let seed = Repository.root.appendingPathComponent("Tests/Fuzzing/seeds/\(name)")
        let data = try Data(contentsOf: seed)
        guard (try? ImageHeader.read(data)) != nil else { return }  // a build without the format
        let plan = try job.manifest.plan(["copy"])
        for (part, isLengthProven) in [(data, false), (data.prefix(data.count * 3 / 4), true)] {
            let source = original(Data(part), isLengthProven: isLengthProven)
            let rendering = try await renderer(journal).render(plan, from: source, of: 7)
            #expect(try encoded(rendering.outputs[0]).data == source.data)
        }
        let cut = original(Data(data.prefix(data.count * 3 / 4)), isLengthProven: false)
        let error = await #expect(throws: ItemError.self) {
            _ = try await renderer(journal).render(plan, from: cut, of: 7)
        }
        #expect(error?.code == .truncated && error?.handling == .retry(atMost: 2))
        #expect(InFlightJournal.phase(in: box) == nil)
    }

    @Test("bytes that are no image, and sides above the limit, fail the item")
    func refused() async throws {
        let plan = try job.manifest.plan(["copy"])
        let text = await failure(plan, of: Data("no image".utf8), by: renderer(journal))
        #expect(text?.code == .wrongType && text?.handling == .permanent)
        let long = await failure(plan, of: try pngFile(65_501, 1), by: renderer(journal))
        #expect(long?.code == .limits)
        #expect(InFlightJournal.phase(in: box) == nil)
    }

    @Test("a drawing is left to a child that is confined; its size, its facts and its copy need none")
    func drawing() async throws {
        let data = Data("<svg xmlns='http://www.w3.org/2000/svg' width='30' height='10'/>".utf8)
        let error = await failure(try job.manifest.plan(["small"]), of: data, by: renderer(journal))
        #expect(error?.code == .plugIn && error?.handling == .suspect)
        let copies = try job.manifest.plan(["copy"], facts: [.format, .size])
        let rendering = try await renderer(journal).render(copies, from: original(data), of: 7)
        #expect(try encoded(rendering.outputs[0]).data == data)
        #expect(rendering.facts?.json == #"{"format":"svg","size":{"height":10,"width":30}}"#)
    }

    @Test("facts that are known are not looked for in the image")
    func known() async throws {
        let facts = FactExtractor([.size], recorded: ItemFacts([.size: .string("known")]))
        let plan = OutputPlan(recipes: try job.manifest.recipes(["small"]), facts: facts)
        let source = original(try pngFile(30, 10))
        let rendering = try await renderer(journal).render(plan, from: source, of: 7)
        #expect(rendering.facts?.json == #"{"size":"known"}"#)
    }
}
