#!/usr/bin/env ruby
# frozen_string_literal: true

require "optparse"

Heading = Struct.new(:level, :title) do
  def anchor
    title.downcase.gsub(/[^a-z0-9 -]/, "").tr(" ", "-")
  end

  def indentation
    "  " * (level - 1)
  end
end

class TableOfContents
  FENCE = /\A```/
  HEADING = /\A(\#{1,6})\s+(.+?)\s*\z/

  def initialize(lines, max_level: 3)
    @lines = lines
    @max_level = max_level
  end

  def headings
    fenced = false
    @lines.each_with_object([]) do |line, found|
      if line.match?(FENCE)
        fenced = !fenced
        next
      end
      next if fenced

      match = HEADING.match(line)
      next unless match

      level = match[1].length
      found << Heading.new(level, match[2]) if level <= max_level
    end
  end

  def to_s
    headings.map { |heading| "#{heading.indentation}- [#{heading.title}](##{heading.anchor})" }.join("\n")
  end
end

options = { max_level: 3 }
parser = OptionParser.new do |opts|
  opts.banner = "Usage: markdown_toc.rb [options] FILE"
  opts.on("-l", "--level N", Integer, "Deepest level") { |level| options[:max_level] = level }
  opts.on("-h", "--help", "Show this help") do
    puts opts
    exit
  end
end
parser.parse!

if ARGV.empty?
  warn parser
  exit 1
end

ARGV.each do |path|
  unless File.file?(path)
    warn "#{path}: no such file"
    next
  end
  puts TableOfContents.new(File.readlines(path, chomp: true), **options)
end
