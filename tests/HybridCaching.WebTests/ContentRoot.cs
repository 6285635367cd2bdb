namespace HybridCaching.WebTests;

/// <summary>The content root of one test: a directory of its own, with the settings that the sample comes with.</summary>
internal sealed class ContentRoot : IDisposable
{
    private const string Settings = "appsettings.json";

    private readonly TestDirectory _directory = new();

    public ContentRoot() => File.Copy(System.IO.Path.Combine(AppContext.BaseDirectory, Settings), _directory.Combine(Settings));

    public string Path => _directory.Path;

    public void Dispose() => _directory.Dispose();
}
