import Foundation
import JobStorage
import Testing

@testable import JobReports

@Suite struct DistributionPlotTests {
    private func plot(_ values: [Int]) -> String {
        var distribution = Distribution()
        for value in values { distribution.add(value) }
        distribution.median = values.isEmpty ? 0 : values.sorted()[values.count / 2]
        return DistributionPlot(
            title: "Sizes <of> it",
            distribution: distribution,
            label: { "\($0) B" },
            noun: "file",
            caption: "a & b"
        ).html.source
    }

    private func count(_ text: String, in page: String) -> Int {
        page.components(separatedBy: text).count - 1
    }

    @Test("no values, no plot")
    func empty() {
        #expect(plot([]).isEmpty)
    }

    @Test("the axis has whole decades with their labels, and a line at each")
    func axis() {
        let page = plot([20, 30, 5000])
        #expect(page.contains("viewBox=\"0 0 300 100\""), "10 to 10,000 are three decades")
        #expect(count("class=\"grid\"", in: page) == 4)
        for label in ["10 B", "100 B", "1000 B", "10000 B"] {
            #expect(page.contains("<span>\(label)</span>"))
        }
        #expect(count("<span>", in: page) == 4)
    }

    @Test("a bar a step, as high as its share of the highest, and never too low to be seen")
    func bars() {
        let page = plot(Array(repeating: 20, count: 1000) + [5000] + Array(repeating: 300, count: 500))
        #expect(count("class=\"measure\"", in: page) == 3)
        #expect(
            page.contains("height=\"96\"") && page.contains("height=\"48\"") && page.contains("height=\"2\"")
        )
        #expect(page.contains("1,000 files</title>") && page.contains("1 file</title>"))
        #expect(page.contains("y=\"4\" width=\"8\" height=\"96\""), "bars stand on the axis")
    }

    @Test("a bar stands where its value is, and the median is marked at its value")
    func positions() {
        // Of ten steps from 10 on, 20 is in the fourth: 10^1.3 is 19.95.
        let step = Distribution.step(of: 20)
        let page = plot([20, 20, 20])
        #expect(page.contains("x=\"\((step - 10) * 10 + 1)\""))
        #expect(page.contains("class=\"mark\" x1=\"30\""))
        #expect(count("class=\"mark\"", in: page) == 1)
    }

    @Test("titles and captions are escaped")
    func escaped() {
        let page = plot([1])
        #expect(page.contains("aria-label=\"Sizes &lt;of&gt; it: a &amp; b\""))
        #expect(page.contains("<figcaption>a &amp; b</figcaption>"))
    }
}
