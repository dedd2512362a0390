# For a tap of one's own. Homebrew's own collection builds everything from source, which onnxruntime's wheels are not.
class Octavo < Formula
  include Language::Python::Virtualenv

  desc "Local-first retrieval and memory engine for people and AI agents"
  homepage "https://pypi.org/project/octavo/"
  url "https://pypi.org/packages/source/o/octavo/octavo-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "python@3.13"

  def install
    virtualenv_create(libexec, "python3.13")
    system "python3.13", "-m", "pip", "--python=#{libexec}/bin/python", "install", "--prefer-binary", buildpath
    bin.install_symlink libexec/"bin/octavo"
    man1.install_symlink libexec/"share/man/man1/octavo.1"
  end

  test do
    (testpath/"notes/tea.md").write "# Tea\n\nGreen tea is steeped for two minutes.\n"
    assert_match "tea.md", shell_output("#{bin}/octavo try notes 'how long does green tea take' --json")
  end
end
