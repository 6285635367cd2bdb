using System.IO.Enumeration;

namespace DirectoryDigest;

/// <summary>Lists the files below a directory. Links are not followed; the cache's own folder is left out, since every run changes it.</summary>
internal sealed class FileLister : FileSystemEnumerator<DigestFile>
{
    private readonly string _excludedDirectory;
    private int _unreadableDirectories;

    private FileLister(string directory, string excludedDirectory)
        : base(directory, new EnumerationOptions { RecurseSubdirectories = true, IgnoreInaccessible = false, AttributesToSkip = FileAttributes.ReparsePoint }) =>
        _excludedDirectory = excludedDirectory;

    public static List<DigestFile> List(string directory, string excludedDirectory, out int unreadableDirectories)
    {
        try
        {
            using var lister = new FileLister(directory, excludedDirectory);
            var files = new List<DigestFile>();
            while (lister.MoveNext()) files.Add(lister.Current);
            unreadableDirectories = lister._unreadableDirectories;
            return files;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new CannotStartException($"cannot read the directory '{directory}': {e.Message}");
        }
    }

    protected override bool ShouldIncludeEntry(ref FileSystemEntry entry) => !entry.IsDirectory;

    protected override bool ShouldRecurseIntoEntry(ref FileSystemEntry entry) => entry.ToFullPath() != _excludedDirectory;

    protected override DigestFile TransformEntry(ref FileSystemEntry entry)
    {
        var file = new DigestFile(entry.ToFullPath(), entry.Length, entry.LastWriteTimeUtc.UtcTicks);

        // A file that vanished, or whose name cannot be said in Unicode, looks like an empty one.
        if (file.Length == 0 && !File.Exists(file.Path)) file.Skip();
        return file;
    }

    protected override bool ContinueOnError(int error)
    {
        _unreadableDirectories++;
        return true;
    }
}
